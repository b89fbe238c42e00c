import { adminSchema } from "#contract/auth.ts";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { setSignedIn } from "#console/lib/session-store.ts";

/** Signs in an administrator with these permissions. */
export function signIn(permissions: readonly Permission[] = PERMISSIONS): void {
  setSignedIn(
    adminSchema.parse({
      id: "1001",
      twitchId: "1001",
      login: "avery",
      displayName: "Avery Admin",
      profileImageUrl: null,
      isAdmin: true,
      permissions,
    }),
  );
}

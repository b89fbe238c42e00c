import { adminSchema } from "#contract/auth.ts";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { setSignedIn } from "#console/lib/session-store.ts";

/** Signs in a user with these permissions; any of them makes an administrator. */
export function signIn(permissions: readonly Permission[] = PERMISSIONS): void {
  setSignedIn(
    adminSchema.parse({
      id: "1001",
      twitchId: "1001",
      login: "avery",
      displayName: "Avery Admin",
      profileImageUrl: null,
      isAdmin: permissions.length > 0,
      permissions,
    }),
  );
}

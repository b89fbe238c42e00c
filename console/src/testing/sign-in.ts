import { adminSchema, type Admin } from "#contract/auth.ts";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { setSignedIn } from "#console/lib/session-store.ts";

/** Signs in a user with these permissions. */
export function signIn(permissions: readonly Permission[] = PERMISSIONS): void {
  setSignedIn(buildAdmin(permissions));
}

/** A user; any permission makes an administrator. */
export function buildAdmin(permissions: readonly Permission[]): Admin {
  return adminSchema.parse({
    id: "1001",
    twitchId: "1001",
    login: "avery",
    displayName: "Avery Admin",
    profileImageUrl: null,
    isAdmin: permissions.length > 0,
    permissions,
  });
}

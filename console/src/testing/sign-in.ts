import { adminSchema, type Admin, type Deployment } from "#contract/auth.ts";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { setSignedIn } from "#console/lib/session-store.ts";

/** Signs in a user with these permissions. */
export function signIn(
  permissions: readonly Permission[] = PERMISSIONS,
  deployment?: Deployment,
): void {
  setSignedIn(buildAdmin(permissions, deployment));
}

/** A user; any permission makes an administrator. */
export function buildAdmin(
  permissions: readonly Permission[],
  deployment: Deployment = "cloudflare",
): Admin {
  return adminSchema.parse({
    id: "1001",
    twitchId: "1001",
    login: "avery",
    displayName: "Avery Admin",
    profileImageUrl: null,
    isAdmin: permissions.length > 0,
    permissions,
    deployment,
  });
}

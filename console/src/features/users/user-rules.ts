import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import type { User } from "#contract/users.ts";

/** The acting administrator, as far as needed here. */
type Actor = { readonly id: string; readonly permissions: readonly Permission[] };

/**
 * Why the actor may not change, ban or unban a user, or undefined. The service enforces the same
 * rules; here they only avoid refused requests.
 */
export function changeRefusal(
  actor: Actor,
  target: Pick<User, "id" | "permissions" | "isBootstrap">,
): string | undefined {
  if (actor.id === target.id) return "You cannot change or ban your own account.";
  return signOutRefusal(actor, target);
}

/** Why the actor may not end a user's sessions, or undefined when they may. */
export function signOutRefusal(
  actor: Actor,
  target: Pick<User, "id" | "permissions" | "isBootstrap">,
): string | undefined {
  if (!actor.permissions.includes("write:users"))
    return "You need the write:users permission for this.";
  if (target.isBootstrap && actor.id !== target.id)
    return "Named in the deployment's settings; can't be changed here.";
  const beyond = target.permissions.filter((permission) => !actor.permissions.includes(permission));
  return beyond.length === 0
    ? undefined
    : `You can only change users whose permissions you hold; you lack ${beyond.join(", ")}.`;
}

/** In the order of the list, so that equal sets look alike. */
export function permissionDiff(
  before: readonly Permission[],
  after: readonly Permission[],
): { readonly added: readonly Permission[]; readonly removed: readonly Permission[] } {
  return {
    added: PERMISSIONS.filter((one) => after.includes(one) && !before.includes(one)),
    removed: PERMISSIONS.filter((one) => before.includes(one) && !after.includes(one)),
  };
}

/** Applies a preset as far as the actor may; permissions the actor lacks stay as they are. */
export function applyPreset(
  preset: readonly Permission[],
  chosen: readonly Permission[],
  held: readonly Permission[],
): Permission[] {
  return PERMISSIONS.filter((one) => (held.includes(one) ? preset : chosen).includes(one));
}

/**
 * Ticks or clears one permission. A permission to change or delete also ticks the one to read, if
 * the actor holds it: without that, it opens no screen.
 */
export function choosePermission(
  permission: Permission,
  granted: boolean,
  chosen: readonly Permission[],
  held: readonly Permission[],
): Permission[] {
  const read = permission.replace(/^\w+/, "read");
  return PERMISSIONS.filter((one) => {
    if (one === permission) return granted;
    return chosen.includes(one) || (granted && one === read && held.includes(one));
  });
}

/** Anyone with a permission is an administrator. */
export function roleChange(
  before: readonly Permission[],
  after: readonly Permission[],
): "promotion" | "demotion" | null {
  if (before.length === 0 && after.length > 0) return "promotion";
  return before.length > 0 && after.length === 0 ? "demotion" : null;
}

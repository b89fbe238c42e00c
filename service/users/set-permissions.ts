import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import type { User } from "#contract/users.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import { changeUser, type UserChangeInput } from "./user-change.ts";

/**
 * Replaces a user's permissions; an empty list makes an ordinary user. They apply from the next
 * request on, and open streams are rechecked immediately.
 * @throws {ApiError} not_found, forbidden, conflict (stale `version`, or the last administrator)
 */
export async function setPermissions(
  context: ServiceContext,
  input: UserChangeInput & {
    readonly permissions: readonly Permission[];
    readonly version: number | undefined;
  },
): Promise<User> {
  const permissions = PERMISSIONS.filter((permission) => input.permissions.includes(permission));
  const stored = JSON.stringify(permissions);
  return await changeUser(context, input, {
    action: "user.permissions",
    after: (target) => ({ id: target.id, permissions, isBanned: target.isBanned }),
    isDone: (target) => JSON.stringify(target.permissions) === stored,
    precondition(target) {
      if (input.version !== undefined && input.version !== target.version)
        throw new ApiError(
          "conflict",
          "This user was changed after you opened the form. Please check again.",
        );
    },
    assignments: () => sql`permissions = ${stored}`,
    audit: (target) => ({ before: target.permissions, after: permissions }),
    notification: (actor, target) => ({
      type: "administrator_changed",
      subject: target.id,
      title: `Permissions of ${target.displayName} changed`,
      body: `${actor.displayName} changed the permissions of ${target.displayName} (@${target.login}, id ${target.id}). ${describeDifference(target.permissions, permissions)}`,
      link: `/users?search=${encodeURIComponent(target.login)}`,
    }),
  });
}

function describeDifference(before: readonly Permission[], after: readonly Permission[]): string {
  const added = after.filter((permission) => !before.includes(permission));
  const removed = before.filter((permission) => !after.includes(permission));
  return [
    ...(added.length > 0 ? [`Added: ${added.join(", ")}.`] : []),
    ...(removed.length > 0 ? [`Removed: ${removed.join(", ")}.`] : []),
  ].join(" ");
}

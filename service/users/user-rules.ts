import type { Permission } from "#contract/permissions.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/**
 * Rules for changing users. Those in c and d also say whose sessions may be ended.
 *
 * a. The actor holds write:users and is not banned.
 * b. Nobody edits or bans themselves.
 * c. The actor holds all of the target's present and new permissions: nobody grants or revokes a
 *    permission they lack.
 * d. Administrators named in the deployment's settings always hold all seven and are not changed
 *    here.
 * e. After every change at least one unbanned user holds write:users and read:users. (The settings'
 *    administrators cannot be banned, so one of them always does.)
 *
 * {@link evaluateChange} returns the broken rule. {@link isAllowed} puts the same rules into the
 * UPDATE itself: if two administrators revoke each other's rights concurrently, the second no
 * longer holds the right when its UPDATE runs.
 */

/** Rights as stored; a ban keeps them without effect. */
export type RightsHolder = {
  readonly id: string;
  readonly permissions: readonly Permission[];
  readonly isBanned: boolean;
};

export type RuleBreach =
  | "actor_lacks_right"
  | "own_account"
  | "set_by_deployment"
  | "beyond_own_rights"
  | "last_administrator";

export const BREACH_SENTENCES: Readonly<Record<RuleBreach, string>> = {
  actor_lacks_right: "This needs the permission write:users.",
  own_account: "You cannot change or ban your own account.",
  set_by_deployment:
    "This administrator is named in the deployment's settings and cannot be changed here.",
  beyond_own_rights: "You can only change users whose permissions you hold yourself.",
  last_administrator: "At least one active administrator must be able to manage users.",
};

export type Change = {
  readonly actor: RightsHolder;
  readonly before: RightsHolder;
  readonly after: RightsHolder;
  readonly bootstrapIds: readonly string[];
  /** Whether a user other than the target can manage users. */
  readonly othersCanManage: boolean;
};

export function evaluateChange(change: Change): RuleBreach | null {
  const { actor, before, after } = change;
  if (actor.isBanned || !actor.permissions.includes("write:users")) return "actor_lacks_right";
  if (actor.id === before.id) return "own_account";
  if (change.bootstrapIds.includes(before.id)) return "set_by_deployment";
  const touched = [...before.permissions, ...after.permissions];
  if (!touched.every((permission) => actor.permissions.includes(permission)))
    return "beyond_own_rights";
  return change.othersCanManage || canManageUsers(after) ? null : "last_administrator";
}

/** Both permissions are needed to find a user and change it. */
export function canManageUsers({ permissions, isBanned }: RightsHolder): boolean {
  return !isBanned && permissions.includes("write:users") && permissions.includes("read:users");
}

/** Condition for the WHERE of the UPDATE that turns a row of `users` into `after`. */
export function isAllowed(
  actorId: string,
  after: RightsHolder,
  bootstrapIds: readonly string[],
): Statement {
  const permissions = JSON.stringify(after.permissions);
  return sql`
    users.id <> ${actorId}
    AND users.id NOT IN (SELECT value FROM json_each(${JSON.stringify(bootstrapIds)}))
    AND EXISTS (SELECT 1 FROM users AS actor
      WHERE actor.id = ${actorId} AND actor.banned_at IS NULL
        AND instr(actor.permissions, '"write:users"') > 0
        AND NOT EXISTS (SELECT 1 FROM json_each(users.permissions) AS held
          WHERE instr(actor.permissions, '"' || held.value || '"') = 0)
        AND NOT EXISTS (SELECT 1 FROM json_each(${permissions}) AS given
          WHERE instr(actor.permissions, '"' || given.value || '"') = 0))
    AND (${canManageUsers(after) ? 1 : 0} OR ${someoneElseCanManage(after.id)})`;
}

export function someoneElseCanManage(userId: string): Statement {
  return sql`EXISTS (SELECT 1 FROM users AS other
    WHERE other.permissions <> '[]' AND other.banned_at IS NULL AND other.id <> ${userId}
      AND instr(other.permissions, '"write:users"') > 0
      AND instr(other.permissions, '"read:users"') > 0)`;
}

import type { User } from "#contract/users.ts";
import { revokeSessionsOf } from "#service/auth/session-store.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { plan } from "#service/jobs/jobs.ts";
import { cancellationJob } from "./ban-cancellations.ts";
import { changeUser, type UserChangeInput } from "./user-change.ts";

/**
 * Bans a user: one batch sets the flag, ends every session, and plans the cancellation of
 * pending uploads. Running uploads finish. The permissions stay stored without effect. Banning a banned
 * user changes nothing and succeeds.
 * @throws {ApiError} not_found, forbidden, conflict (the last administrator)
 */
export async function banUser(
  context: ServiceContext,
  input: UserChangeInput & { readonly reason: string | null },
): Promise<User> {
  const banned = await changeUser(context, input, {
    action: "user.ban",
    after: (target) => ({ id: target.id, permissions: target.permissions, isBanned: true }),
    isDone: (target) => target.isBanned,
    assignments: (atMs) => sql`banned_at = ${atMs}, ban_reason = ${input.reason}`,
    audit: () => ({ before: { isBanned: false }, after: { isBanned: true }, reason: input.reason }),
    notification: (actor, target) => ({
      type: "user_banned",
      subject: target.id,
      title: `${target.displayName} was banned`,
      body: `${actor.displayName} banned ${target.displayName} (@${target.login}, id ${target.id}).${input.reason === null ? "" : ` Reason: ${input.reason}`}`,
      link: `/users?search=${encodeURIComponent(target.login)}`,
    }),
    consequences: (target, atMs) => [
      ...revokeSessionsOf(target.id, "banned", atMs),
      plan("cancel", target.id, atMs),
    ],
  });
  await runDue(context, "cancel", cancellationJob(context), 1);
  return banned;
}

/**
 * Lifts a ban: the stored permissions apply again after a new sign-in. If the user is not banned,
 * changes nothing and succeeds.
 * @throws {ApiError} not_found, forbidden
 */
export async function unbanUser(context: ServiceContext, input: UserChangeInput): Promise<User> {
  return await changeUser(context, input, {
    action: "user.unban",
    after: (target) => ({ id: target.id, permissions: target.permissions, isBanned: false }),
    isDone: (target) => !target.isBanned,
    assignments: () => sql`banned_at = NULL, ban_reason = NULL`,
    audit: (target) => ({
      before: { isBanned: true, reason: target.banReason },
      after: { isBanned: false, permissions: target.permissions },
    }),
    notification: (actor, target) => ({
      type: "administrator_changed",
      subject: target.id,
      title: `The ban of ${target.displayName} was lifted`,
      body: `${actor.displayName} lifted the ban of ${target.displayName} (@${target.login}, id ${target.id}). ${target.isAdmin ? `Permissions in effect again: ${target.permissions.join(", ")}.` : "The user has no permissions."}`,
      link: `/users?search=${encodeURIComponent(target.login)}`,
    }),
  });
}

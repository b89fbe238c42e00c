import type { BodyOf } from "#contract/call.ts";
import type { Channel, updateChannel } from "#contract/channels.ts";
import { ApiError } from "#service/api-error.ts";
import type { AuditActor } from "#service/changes/audit-entry.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import { drop, move, plan } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { findConfirmation, rememberConfirmation } from "#service/storage/rights-confirmation.ts";
import { holdUploads } from "#service/storage/rule-hold.ts";
import { assertSimulated, isSameRetention } from "#service/trash/simulation.ts";
import { guardRule, readDefaults } from "./channel-defaults.ts";
import { requireChannel } from "./channel-list.ts";
import { judgeVods } from "./judge.ts";
import { dateDangers } from "./deletion-period.ts";
import { startChannel } from "./start.ts";
import { assertReplaces, effectiveRule } from "./rule.ts";

/**
 * Changes a channel. Whoever changes its rule or confirms the rights becomes its author, on whose
 * rights the rule acts. VODs that no person decided are decided again at once.
 * @throws {ApiError} not_found, conflict (the
 *   rule is not `replaces` or was changed at the same time, the channel rests on another's confirmation, or nobody saw what a new retention removes), forbidden
 *   (the new retention needs the right to delete uploads)
 */
export async function changeChannel(
  context: ServiceContext,
  id: string,
  body: BodyOf<typeof updateChannel>,
  actor: Actor,
): Promise<Channel> {
  const { database, clock } = context.platform;
  const { changes, paused, confirmation, ownDeletesAfterDays: ownDays } = body;
  const write =
    changes === undefined
      ? (statements: readonly Statement[]) => database.batch(statements)
      : await guardRule(database, sql`(SELECT changes FROM channels WHERE owner_id = ${id})`);
  const before = await requireChannel(database, id);
  if (changes !== undefined) {
    const rule = effectiveRule((await readDefaults(database)).rule, changes);
    assertReplaces(body.replaces, before.changes);
    if (confirmation === undefined) await assertBasisStays(context, before, actor);
    if (!isSameRetention(rule.retention, before.rule.retention))
      await assertSimulated(context, id, rule.retention, body.simulation, actor.actorId);
  }
  const nowMs = clock.now();
  const isAuthor = changes !== undefined || confirmation !== undefined;
  const after = {
    ...(changes === undefined ? {} : { changes }),
    ...(paused === undefined ? {} : { paused }),
    ...(ownDays === undefined ? {} : { ownDeletesAfterDays: ownDays }),
    ...(confirmation === undefined ? {} : { confirmed: confirmation.reason }),
  };
  if (Object.keys(after).length === 0) return before;
  await write([
    ...(confirmation === undefined
      ? []
      : [rememberConfirmation(id, actor.actorId, confirmation.reason, nowMs)]),
    ...recordedChange(
      sql`UPDATE channels SET
          changes = coalesce(${changes === undefined ? null : JSON.stringify(changes)}, changes),
          author_id = iif(${isAuthor ? 1 : 0}, ${actor.actorId}, author_id),
          paused_at = CASE ${paused === undefined ? null : Number(paused)}
            WHEN 1 THEN coalesce(paused_at, ${nowMs}) WHEN 0 THEN NULL ELSE paused_at END,
          deletes_after_days = iif(${ownDays === undefined ? 1 : 0}, deletes_after_days,
            ${ownDays ?? null})
        WHERE owner_id = ${id}`,
      nowMs,
      {
        audit: {
          ...actor,
          action: "channel.change",
          target: id,
          before: {
            changes: before.changes,
            paused: before.pausedAt !== null,
            ownDeletesAfterDays: before.ownDeletesAfterDays,
            authorId: before.author.userId,
          },
          after,
        },
      },
    ),
    ...(paused === undefined ? [] : [paused ? drop("list", id) : plan("list", id, nowMs)]),
  ]);
  if (changes !== undefined) await judgeVods(database, id, nowMs);
  if (ownDays !== undefined) await dateDangers(database, id, nowMs);
  await startChannel(context, id);
  return await requireChannel(database, id);
}

/** A new author takes over a rule only with a basis of their own. @throws {ApiError} conflict */
async function assertBasisStays(
  { platform }: ServiceContext,
  { id, basis, author, displayName }: Channel,
  { actorId }: Actor,
): Promise<void> {
  if (basis?.kind !== "confirmation" || author.userId === actorId) return;
  const own = await findConfirmation(platform.database, id, actorId);
  if (own !== null && own.reason.trim() !== "") return;
  throw new ApiError(
    "conflict",
    `This channel rests on ${author.displayName}'s confirmation of the rights. To change its rule, confirm yourself that you hold the rights to the VODs of ${displayName}.`,
    { details: { confirmation: "is needed from whoever changes the rule" } },
  );
}

/** Stops following a channel. @throws {ApiError} not_found */
export async function removeChannel(
  { platform }: ServiceContext,
  id: string,
  actor: Actor,
): Promise<void> {
  const { database, clock } = platform;
  await requireChannel(database, id);
  await database.batch(stopFollowing(id, actor, clock.now()), { isEssential: true });
  await holdUploads(platform);
}

/**
 * Files stay, and so does what people started and what is known of stored VODs, such as who took or deleted them.
 * What was only seen at the source is forgotten; what the rule has not finished is given up. Changes
 * nothing for a channel that is not followed.
 */
export function stopFollowing(id: string, actor: AuditActor, nowMs: number): readonly Statement[] {
  const isFollowed = sql`EXISTS (SELECT 1 FROM channels WHERE owner_id = ${id})`;
  return [
    sql`DELETE FROM vods WHERE owner_id = ${id} AND ${isFollowed} AND NOT is_stored`,
    sql`UPDATE vods SET danger_at = NULL, next_start_at = NULL, waits_for = NULL,
        decision = iif(decided_by IS NULL, NULL, decision),
        reason = iif(decided_by IS NULL, NULL, reason)
      WHERE owner_id = ${id} AND ${isFollowed}`,
    ...recordedChange(sql`DELETE FROM channels WHERE owner_id = ${id}`, nowMs, {
      audit: { ...actor, action: "channel.remove", target: id },
    }),
    drop("list", id),
  ];
}

/** Has a channel's whole list of VODs read at the next opportunity. @throws {ApiError} not_found */
export async function checkChannel(
  { platform: { database, clock } }: ServiceContext,
  id: string,
  actor: Actor,
): Promise<void> {
  await requireChannel(database, id);
  const nowMs = clock.now();
  await database.batch(
    recordedChange(move("list", id, sql`min(due_at, ${nowMs})`), nowMs, {
      audit: { ...actor, action: "channel.check", target: id },
    }),
  );
}

import type { BodyOf } from "#contract/call.ts";
import type { Channel } from "#contract/channels.ts";
import type { decideVods as decideCall } from "#contract/channel-vods.ts";
import { auditEntryIf } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import type { Database } from "#service/ports/database.ts";
import { proposedRetention } from "#service/trash/removable-files.ts";
import { requireChannel } from "./channel-list.ts";
import { findRemovedAtOnce, findUnstored } from "./judge.ts";
import { planStart, startChannel } from "./start.ts";
import { HAS_NO_UPLOAD } from "./vod-state.ts";

/**
 * Takes VODs whatever the rule says, or leaves them out; a later change of the rule leaves that as it
 * is, and its retention keeps what a person took. What has an upload or a file, or is gone, stays as it
 * is. Whoever takes all leaves out what the retention would remove at once, unless it is named. Returns
 * how many changed. Safe to repeat.
 * @throws {ApiError} not_found
 */
export async function decideVods(
  context: ServiceContext,
  channelId: string,
  { vodIds, decision }: BodyOf<typeof decideCall>,
  actor: Actor,
): Promise<number> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const channel = await requireChannel(database, channelId);
  const untaken =
    vodIds === undefined && decision === "take" ? await findUntaken(database, channel, nowMs) : [];
  const which =
    vodIds === undefined
      ? sql`vod_id NOT IN (SELECT value FROM json_each(${JSON.stringify([...untaken])}))`
      : sql`vod_id IN (SELECT value FROM json_each(${JSON.stringify(vodIds)}))`;
  const [result] = await database.batch([
    sql`UPDATE vods SET decision = ${decision}, decided_by = ${actor.actorId},
        reason = ${decision === "take" ? null : "by_hand"},
        ${planStart(sql`${Number(decision === "take")}`, nowMs)}
      WHERE owner_id = ${channelId} AND gone_at IS NULL AND ${which}
        AND EXISTS (SELECT 1 FROM vod_states v WHERE v.seq = vods.seq AND ${HAS_NO_UPLOAD})
        AND (decision IS NOT ${decision} OR decided_by IS NULL)`,
    auditEntryIf(
      {
        ...actor,
        atMs: nowMs,
        action: "channel.decide",
        target: channelId,
        after: { decision, ...(vodIds === undefined ? { all: true } : { vodIds }) },
      },
      sql`changes() > 0`,
    ),
  ]);
  await startChannel(context, channelId);
  return result?.changes ?? 0;
}

/** What *Archive all* leaves out: the retention would remove it at once if the rule took all. */
export async function findUntaken(
  database: Database,
  { id, rule }: Pick<Channel, "id" | "rule">,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (rule.retention.keep === "all") return new Set();
  const isTaken = sql`v.decided_by IS NOT NULL AND v.decision IS 'take'`;
  const unstored = await findUnstored(database, new Map([[id, rule]]), sql`NOT (${isTaken})`);
  const retention = proposedRetention(id, rule.retention, null);
  return await findRemovedAtOnce(database, retention, unstored, nowMs);
}

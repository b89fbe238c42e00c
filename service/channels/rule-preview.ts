import * as z from "zod/mini";
import type { BodyOf, DataOf } from "#contract/call.ts";
import { type LeftOutReason, LEFT_OUT_REASONS, vodKindSchema } from "#contract/channel-rules.ts";
import type { previewRule as previewCall } from "#contract/channel-vods.ts";
import { twitchUserIdSchema, twitchVodIdSchema } from "#contract/ids.ts";
import { archiveCost } from "#service/costs/archive-cost.ts";
import { flagColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { proposedRetention } from "#service/trash/removable-files.ts";
import { HAS_BASIS } from "#service/storage/rule-permission.ts";
import { amountOf, readSizeEstimate } from "./bit-rate.ts";
import { findRemovedAtOnce } from "./removed-at-once.ts";
import { judgeVod } from "./rule.ts";

const previewedRow = z.object({
  id: twitchVodIdSchema,
  channelId: twitchUserIdSchema,
  channel: z.string(),
  title: z.string(),
  kind: vodKindSchema,
  durationSec: z.nullable(z.number()),
  recordedAtMs: z.number(),
  isGrowing: flagColumn,
  isStored: flagColumn,
  addedAtMs: z.number(),
  isByHand: flagColumn,
  hasBasis: flagColumn,
  decision: z.nullable(z.string()),
});

/** The call's limit of listed VODs; the sums are over all. */
const LISTED_VODS = 200;

/**
 * What a rule would take of the VODs that the source has, exactly as the decisions would become if
 * it were saved: what a person decided stays.
 */
export async function previewRule(
  database: Database,
  { rule, channelId }: BodyOf<typeof previewCall>,
  nowMs: number,
): Promise<DataOf<typeof previewCall>> {
  const ofChannels =
    channelId === undefined ? sql`c.changes = '{}'` : sql`c.owner_id = ${channelId}`;
  const [estimate, rows, [unlisted]] = await Promise.all([
    readSizeEstimate(database, channelId ?? null),
    database.all(sql`
      SELECT v.vod_id AS id, v.owner_id AS channelId, o.display_name AS channel, v.title, v.kind,
        v.duration_sec AS durationSec, v.recorded_at AS recordedAtMs, v.is_growing AS isGrowing,
        v.is_stored AS isStored, c.added_at AS addedAtMs, v.decision,
        (v.decided_by IS NOT NULL OR v.reason IS 'by_hand') AS isByHand, ${HAS_BASIS} AS hasBasis
      FROM channels c JOIN users o ON o.id = c.owner_id JOIN vods v ON v.owner_id = c.owner_id
      WHERE ${ofChannels} AND v.gone_at IS NULL ORDER BY v.recorded_at DESC, v.seq DESC`),
    database.all(sql`SELECT EXISTS (SELECT 1 FROM channels c
      WHERE ${ofChannels} AND c.listed_at IS NULL) AS found`),
  ]);
  const judgedAlone = rows.map((row) => {
    const vod = previewedRow.parse(row);
    const reason: LeftOutReason | null = vod.isByHand
      ? vod.decision === "take"
        ? null
        : "by_hand"
      : judgeVod(rule, vod, vod.addedAtMs, nowMs);
    return { ...vod, reason, sizeBytes: estimate(vod.channelId, rule.quality, vod.durationSec) };
  });
  const ids = JSON.stringify(
    judgedAlone.filter(({ reason, isByHand }) => reason === null && !isByHand).map(({ id }) => id),
  );
  const removed = await findRemovedAtOnce(
    database,
    proposedRetention(channelId ?? null, rule.retention, null),
    new Map(judgedAlone.map((vod) => [vod.channelId, rule])),
    sql`v.vod_id IN (SELECT value FROM json_each(${ids}))`,
    nowMs,
  );
  const judged = judgedAlone.map((vod) =>
    removed.has(vod.id) ? { ...vod, reason: "retention" as const } : vod,
  );
  const taken = judged.filter(({ reason, isStored }) => reason === null && !isStored);
  return {
    taken: amountOf(taken),
    withoutBasis: taken.filter(({ hasBasis }) => !hasBasis).length,
    leftOut: LEFT_OUT_REASONS.flatMap((reason) => {
      const vods = judged.filter((vod) => vod.reason === reason).length;
      return vods === 0 ? [] : [{ reason, vods }];
    }),
    vods: judged.slice(0, LISTED_VODS).map((vod) => ({
      id: vod.id,
      channelId: vod.channelId,
      channel: vod.channel,
      title: vod.title,
      kind: vod.kind,
      durationSec: vod.durationSec,
      recordedAt: new Date(vod.recordedAtMs).toISOString(),
      sizeBytes: vod.sizeBytes,
      copyUsd: archiveCost(vod.sizeBytes, null).copyUsd,
      isStored: vod.isStored,
      reason: vod.reason,
    })),
    isListed: unlisted?.["found"] !== 1,
  };
}

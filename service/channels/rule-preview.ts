import * as z from "zod/mini";
import type { BodyOf, DataOf } from "#contract/call.ts";
import { LEFT_OUT_REASONS, type LeftOutReason, vodKindSchema } from "#contract/channel-rules.ts";
import type { previewRule as previewCall } from "#contract/channel-vods.ts";
import { twitchUserIdSchema, twitchVodIdSchema } from "#contract/ids.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { proposedRetention } from "#service/trash/removable-files.ts";
import { amountOf, readSizeEstimate } from "./bit-rate.ts";
import { readChannelVods } from "./channel-vods.ts";
import { findRemovedAtOnce, unstoredOf } from "./judge.ts";
import { judgeBy } from "./rule.ts";

const listedRow = z.object({
  vod_id: twitchVodIdSchema,
  owner_id: twitchUserIdSchema,
  display_name: z.string(),
  title: z.string(),
  kind: vodKindSchema,
  duration_sec: z.nullable(z.number()),
  recorded_at: instantColumn,
  is_stored: flagColumn,
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
  const [estimate, channels, listed] = await Promise.all([
    readSizeEstimate(database, channelId ?? null),
    readChannelVods(database, ofChannels),
    // Only what is listed is put in order.
    database.all(sql`SELECT v.vod_id, v.owner_id, o.display_name, v.title, v.kind, v.duration_sec,
        v.recorded_at, v.is_stored
      FROM vod_states v JOIN users o ON o.id = v.owner_id
      WHERE v.seq IN (SELECT v.seq FROM channels c CROSS JOIN vods v ON v.owner_id = c.owner_id
        WHERE ${ofChannels} AND v.gone_at IS NULL
        ORDER BY v.recorded_at DESC, v.seq DESC LIMIT ${LISTED_VODS})
      ORDER BY v.recorded_at DESC, v.seq DESC`),
  ]);
  const judge = judgeBy(rule);
  const judged = channels.map((channel) => ({
    ...channel,
    reasons: channel.vods.map((vod) => {
      if (!vod.isByHand) return judge(vod, channel.addedAtMs, nowMs);
      return vod.decision === "take" ? null : "by_hand";
    }),
  }));
  const unstored = judged.map(({ ownerId, vods, reasons }) => {
    const open = vods.filter((vod, n) => reasons[n] === null && !vod.isByHand && !vod.isStored);
    return [ownerId, unstoredOf(open, estimate.sizeOf(ownerId, rule.quality, 1))] as const;
  });
  const removed =
    rule.retention.keep === "all"
      ? new Set()
      : await findRemovedAtOnce(
          database,
          proposedRetention(channelId ?? null, rule.retention, null),
          new Map(unstored),
          nowMs,
        );
  const reasonOf = new Map<string, LeftOutReason | null>();
  const counts = new Map<LeftOutReason, number>();
  const taken: { channelId: string; durationSec: number | null; sizeBytes: number }[] = [];
  let withoutBasis = 0;
  for (const { ownerId, hasBasis, vods, reasons } of judged)
    for (const [n, { vodId, isStored, durationSec }] of vods.entries()) {
      const reason = removed.has(vodId) ? "retention" : (reasons[n] ?? null);
      reasonOf.set(vodId, reason);
      if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
      else if (!isStored) {
        if (hasBasis === 0) withoutBasis += 1;
        const sizeBytes = estimate.sizeOf(ownerId, rule.quality, durationSec);
        taken.push({ channelId: ownerId, durationSec, sizeBytes });
      }
    }
  return {
    taken: amountOf(taken, estimate),
    withoutBasis,
    leftOut: LEFT_OUT_REASONS.flatMap((reason) => {
      const count = counts.get(reason) ?? 0;
      return count === 0 ? [] : [{ reason, vods: count }];
    }),
    vods: listed.map((row) => {
      const vod = listedRow.parse(row);
      return {
        id: vod.vod_id,
        channelId: vod.owner_id,
        channel: vod.display_name,
        title: vod.title,
        kind: vod.kind,
        durationSec: vod.duration_sec,
        recordedAt: vod.recorded_at,
        sizeBytes: estimate.sizeOf(vod.owner_id, rule.quality, vod.duration_sec),
        isStored: vod.is_stored,
        reason: reasonOf.get(vod.vod_id) ?? null,
      };
    }),
    isListed: channels.every(({ isListed }) => isListed === 1),
  };
}

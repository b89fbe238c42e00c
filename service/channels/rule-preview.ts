import * as z from "zod/mini";
import type { BodyOf, DataOf } from "#contract/call.ts";
import { LEFT_OUT_REASONS, type LeftOutReason, vodKindSchema } from "#contract/channel-rules.ts";
import type { previewRule as previewCall } from "#contract/channel-vods.ts";
import { twitchUserIdSchema, twitchVodIdSchema } from "#contract/ids.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row } from "#service/ports/database.ts";
import { proposedRetention } from "#service/trash/removable-files.ts";
import { HAS_BASIS } from "#service/storage/rule-permission.ts";
import { amountOf, readSizeEstimate } from "./bit-rate.ts";
import { findRemovedAtOnce, JUDGED_COLUMNS, readJudged } from "./judge.ts";
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
  const columns = sql`v.vod_id, v.owner_id, ${JUDGED_COLUMNS}, v.is_stored, v.decision,
    (v.decided_by IS NOT NULL OR v.reason IS 'by_hand') AS is_by_hand, c.added_at`;
  const newestFirst = sql`ORDER BY v.recorded_at DESC, v.seq DESC`;
  const [estimate, channels, rows, listed] = await Promise.all([
    readSizeEstimate(database, channelId ?? null),
    database.all(sql`SELECT c.owner_id, c.listed_at, ${HAS_BASIS} AS has_basis
      FROM channels c WHERE ${ofChannels}`),
    database.all(sql`SELECT ${columns}
      FROM channels c CROSS JOIN vod_states v ON v.owner_id = c.owner_id
      WHERE ${ofChannels} AND v.gone_at IS NULL`),
    // Only what is listed is put in order.
    database.all(sql`SELECT ${columns}, o.display_name
      FROM vod_states v JOIN channels c ON c.owner_id = v.owner_id JOIN users o ON o.id = v.owner_id
      WHERE v.seq IN (SELECT v.seq FROM channels c CROSS JOIN vods v ON v.owner_id = c.owner_id
        WHERE ${ofChannels} AND v.gone_at IS NULL ${newestFirst} LIMIT ${LISTED_VODS})
      ${newestFirst}`),
  ]);
  const judge = judgeBy(rule);
  const reasonAlone = (row: Row): LeftOutReason | null =>
    row["is_by_hand"] === 1
      ? row["decision"] === "take"
        ? null
        : "by_hand"
      : judge(readJudged(row), Number(row["added_at"]), nowMs);
  const judgedAlone = rows.map((row) => ({ row, reason: reasonAlone(row) }));
  const ids = judgedAlone.flatMap(({ row, reason }) =>
    reason === null && row["is_by_hand"] !== 1 ? [row["vod_id"]] : [],
  );
  const removed = await findRemovedAtOnce(
    database,
    proposedRetention(channelId ?? null, rule.retention, null),
    new Map(channels.map(({ owner_id: id }) => [String(id), rule])),
    sql`v.vod_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    nowMs,
  );
  const isRemoved = (row: Row) => removed.has(String(row["vod_id"]));
  const counts = new Map<LeftOutReason, number>();
  const taken: { channelId: string; durationSec: number | null; sizeBytes: number }[] = [];
  for (const { row, reason: alone } of judgedAlone) {
    const reason = isRemoved(row) ? "retention" : alone;
    if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    else if (row["is_stored"] !== 1) {
      const id = String(row["owner_id"]);
      const { durationSec } = readJudged(row);
      const sizeBytes = estimate(id, rule.quality, durationSec);
      taken.push({ channelId: id, durationSec, sizeBytes });
    }
  }
  const basis = new Map(channels.map((row) => [String(row["owner_id"]), row["has_basis"] === 1]));
  return {
    taken: amountOf(taken),
    withoutBasis: taken.filter((vod) => basis.get(vod.channelId) === false).length,
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
        sizeBytes: estimate(vod.owner_id, rule.quality, vod.duration_sec),
        isStored: vod.is_stored,
        reason: isRemoved(row) ? "retention" : reasonAlone(row),
      };
    }),
    isListed: channels.every((row) => row["listed_at"] !== null),
  };
}

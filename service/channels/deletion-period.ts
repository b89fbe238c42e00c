import * as z from "zod/mini";
import { flagColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { FULL_SEC, keptDays, OUTLIVED_MS } from "./deadline.ts";
import { DANGER_MS } from "./vod-state.ts";

const periodRow = z.object({
  deletes_after_days: z.nullable(z.number()),
  broadcaster_type: z.string(),
  kept_days: z.nullable(z.number()),
  is_full: flagColumn,
  sightings: jsonText(
    z.array(
      z.object({
        recordedAtMs: z.number(),
        lastSeenAtMs: z.number(),
        goneAtMs: z.nullable(z.number()),
      }),
    ),
  ),
});

/** Older sightings say nothing about how long the source keeps VODs now. */
const SIGHTINGS_MS = 90 * 86_400_000;

/**
 * Derives how long the source keeps a channel's past broadcasts from what was seen, and rewrites
 * the dates of danger of its VODs and of its waiting uploads if that changed. Of highlights and uploads
 * near the limit, each may go at any time: the date stays that of the first derivation. Safe to repeat.
 */
export async function derivePeriod(
  database: Database,
  channelId: string,
  nowMs: number,
): Promise<void> {
  const [found] = await database.all(sql`
    SELECT c.deletes_after_days, c.broadcaster_type, c.kept_days,
      (SELECT total(v.duration_sec) >= ${FULL_SEC} FROM vods v
        WHERE v.owner_id = c.owner_id AND v.kind <> 'archive' AND v.gone_at IS NULL) AS is_full,
      (SELECT json_group_array(json_object('recordedAtMs', v.recorded_at,
          'lastSeenAtMs', v.last_seen_at, 'goneAtMs', v.gone_at))
        FROM vods v WHERE v.owner_id = c.owner_id AND v.kind = 'archive'
          AND v.last_seen_at > ${nowMs - SIGHTINGS_MS}) AS sightings
    FROM channels c WHERE c.owner_id = ${channelId}`);
  if (found === undefined) return;
  const row = periodRow.parse(found);
  const derive = (ownDays: number | null) =>
    keptDays({ ownDays, broadcasterType: row.broadcaster_type, sightings: row.sightings });
  const days = derive(row.deletes_after_days);
  const isOwn = Number(row.deletes_after_days !== null);
  const danger = sql`CASE
    WHEN kind <> 'archive' THEN
      iif(${Number(row.is_full)}, coalesce(danger_at, ${nowMs + DANGER_MS}), NULL)
    WHEN ${isOwn} OR last_seen_at - recorded_at <= ${OUTLIVED_MS}
      THEN recorded_at + ${days} * 86400000 END`;
  await database.batch([
    sql`UPDATE channels SET kept_days = ${derive(null)}
      WHERE owner_id = ${channelId} AND kept_days IS NOT ${derive(null)}`,
    sql`UPDATE vods SET danger_at = ${danger}
      WHERE owner_id = ${channelId} AND danger_at IS NOT ${danger}`,
    sql`UPDATE uploads SET danger_at = v.danger_at FROM vods v
      WHERE uploads.owner_id = ${channelId} AND uploads.status IN ('pending', 'processing')
        AND v.vod_id = uploads.vod_id AND uploads.danger_at IS NOT v.danger_at`,
  ]);
}

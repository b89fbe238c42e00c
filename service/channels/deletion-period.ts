import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { DANGER_MS } from "./vod-state.ts";

/**
 * From when the source may delete a VOD.
 *
 * Twitch keeps past broadcasts for 7 days, those of affiliates for 14, and those of partners, and of
 * viewers who pay for Prime or Turbo, for 60 (help.twitch.tv, "Video on Demand"). Who pays is not
 * public, so an administrator's own figure replaces that of the kind of broadcaster. One that was seen
 * later than that is an exception: nobody knows when it goes.
 *
 * Highlights and uploads have no period, but Twitch deletes any of them while a channel has more than
 * 100 hours (docs/twitch.md#following-channels).
 */

/** Of a channel `c`: for how many days Twitch keeps past broadcasts of its kind of broadcaster. */
export const USUAL_DAYS = sql`CASE c.broadcaster_type WHEN 'partner' THEN 60 WHEN 'affiliate' THEN 14
  ELSE 7 END`;

const DAY_MS = 86_400_000;
/** Twitch deletes within hours after the period, and a list is read once a day. */
const TOLERANCE_MS = DAY_MS;
/** From so many hours on, highlights and uploads are in danger: a list may lack some. */
const FULL_SEC = 90 * 3_600;

/**
 * Dates the danger of a channel's VODs and of its waiting uploads. Of highlights and uploads near the
 * limit, each may go at any time: the first date stays. Safe to repeat.
 */
export async function dateDangers(
  database: Database,
  channelId: string,
  nowMs: number,
): Promise<void> {
  const periodMs = sql`(SELECT coalesce(c.deletes_after_days, ${USUAL_DAYS}) * ${DAY_MS}
    FROM channels c WHERE c.owner_id = ${channelId})`;
  const isFull = sql`(SELECT total(v.duration_sec) >= ${FULL_SEC} FROM vods v
    WHERE v.owner_id = ${channelId} AND v.kind <> 'archive' AND v.gone_at IS NULL)`;
  const danger = sql`CASE
    WHEN kind <> 'archive' THEN iif(${isFull}, coalesce(danger_at, ${nowMs + DANGER_MS}), NULL)
    WHEN last_seen_at - recorded_at <= ${periodMs} + ${TOLERANCE_MS} THEN recorded_at + ${periodMs} END`;
  await database.batch([
    sql`UPDATE vods SET danger_at = ${danger}
      WHERE owner_id = ${channelId} AND danger_at IS NOT ${danger}`,
    sql`UPDATE uploads SET danger_at = v.danger_at FROM vods v
      WHERE uploads.owner_id = ${channelId} AND uploads.status IN ('pending', 'processing')
        AND v.vod_id = uploads.vod_id AND uploads.danger_at IS NOT v.danger_at`,
  ]);
}

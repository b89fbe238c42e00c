import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/** Conditions on VODs; those on `v.state` are for the view `vod_states` (schema/channels.ts). */

/** Somebody wants it, and it is not stored. */
const IS_OPEN = sql`v.state IN ('wanted', 'queued', 'copying', 'failed')`;

/** Nothing is under way for it, nor was anything given up. */
export const HAS_NO_UPLOAD = sql`v.state IN ('wanted', 'left_out')
  AND (v.upload_status IS NULL OR v.state = 'wanted')`;

/** The rule decides it. What a person decided or deleted stays. */
export const IS_DECIDED_BY_RULE = sql`decided_by IS NULL`;

/** Condition of the index by danger: the source deletes it some day, and it is not stored. */
const MAY_VANISH = sql`v.danger_at IS NOT NULL AND v.gone_at IS NULL AND NOT v.is_stored`;

/** Of a channel `c`: when its newest VOD was broadcast. */
export const NEWEST_VOD = sql`(SELECT max(v.recorded_at) FROM vods v WHERE v.owner_id = c.owner_id)`;

/** Of a channel `c`: the earliest danger of its open VODs. */
export const EARLIEST_DANGER = sql`(SELECT v.danger_at FROM vod_states v
  WHERE v.owner_id = c.owner_id AND ${MAY_VANISH} AND ${IS_OPEN}
  ORDER BY v.danger_at LIMIT 1)`;

/** Of a channel `c`: the earliest danger of those that its rule leaves out. */
export const EARLIEST_LEFT_OUT_DANGER = sql`(SELECT v.danger_at FROM vod_states v
  WHERE v.owner_id = c.owner_id AND ${MAY_VANISH} AND v.state = 'left_out' AND v.reason IS NOT 'by_hand'
  ORDER BY v.danger_at LIMIT 1)`;

/** "In danger" is what may be deleted within so long. */
export const DANGER_MS = 3 * 86_400_000;

/** Selects the open VODs `v` of channels that may be deleted within three days. */
export function inDanger(columns: Statement, nowMs: number): Statement {
  return sql`SELECT ${columns} FROM channels of_vod CROSS JOIN vod_states v
    ON v.owner_id = of_vod.owner_id AND v.danger_at <= ${nowMs + DANGER_MS}
    WHERE ${MAY_VANISH} AND ${IS_OPEN}`;
}

import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/**
 * The state of a VOD `v` beside the archive, `v.state`, is a column that the database derives
 * (schema/channels.ts).
 */

/** Condition on a VOD `v`: somebody wants it, and it is not stored. */
const IS_OPEN = sql`v.state IN ('wanted', 'queued', 'copying', 'failed')`;

/** Condition on a VOD `v`: nothing is under way for it, nor was anything given up. */
export const HAS_NO_UPLOAD = sql`v.state IN ('wanted', 'left_out')
  AND (v.upload_status IS NULL OR v.state = 'wanted')`;

/** Condition on a VOD: the rule decides it. What a person decided or deleted stays. */
export const IS_DECIDED_BY_RULE = sql`decided_by IS NULL AND reason IS NOT 'by_hand'`;

/** Of a channel `c`: when its newest VOD was broadcast. */
export const NEWEST_VOD = sql`(SELECT max(v.recorded_at) FROM vods v WHERE v.owner_id = c.owner_id)`;

/** Of a channel `c`: the earliest danger of its open VODs. */
export const EARLIEST_DANGER = sql`(SELECT min(v.danger_at) FROM vods v
  WHERE v.owner_id = c.owner_id AND ${IS_OPEN})`;

/** "In danger" is what may be deleted within so long. */
export const DANGER_MS = 3 * 86_400_000;

/** Selects the open VODs `v` of channels that may be deleted within three days. */
export function inDanger(columns: Statement, nowMs: number): Statement {
  return sql`SELECT ${columns} FROM vods v WHERE v.danger_at <= ${nowMs + DANGER_MS} AND ${IS_OPEN}`;
}

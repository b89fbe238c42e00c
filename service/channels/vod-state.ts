import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/** Of a VOD `v`: the status of its newest upload, or null. */
const UPLOAD_STATUS = sql`(SELECT u.status FROM uploads u WHERE u.vod_id = v.vod_id
  ORDER BY u.seq DESC LIMIT 1)`;

/** The state of a VOD `v` beside the archive (contract/channel-vods.ts). */
export const VOD_STATE = sql`CASE
  WHEN v.is_stored = 1 THEN 'stored'
  ELSE CASE ${UPLOAD_STATUS}
    WHEN 'processing' THEN 'copying'
    WHEN 'pending' THEN 'queued'
    ELSE CASE
      WHEN v.lost_at IS NOT NULL THEN 'lost'
      WHEN v.gone_at IS NOT NULL THEN 'gone'
      WHEN ${UPLOAD_STATUS} = 'failed' THEN 'failed'
      WHEN v.decision = 'take' AND ${UPLOAD_STATUS} IS NULL THEN 'wanted'
      ELSE 'left_out' END END END`;

/**
 * Condition on a VOD `v`: it is wanted, at the source, and not stored. The first line is that of
 * indexes. Whoever cancelled its upload, or deleted its file, does not want it.
 */
const IS_OPEN = sql`v.decision = 'take' AND v.gone_at IS NULL AND v.is_stored = 0
  AND coalesce(${UPLOAD_STATUS}, 'pending') NOT IN ('cancelled', 'completed')`;

/** Condition on a VOD `v`: nothing was ever begun for it. */
export const HAS_NO_UPLOAD = sql`v.is_stored = 0
  AND NOT EXISTS (SELECT 1 FROM uploads u WHERE u.vod_id = v.vod_id)`;

/** Condition on a VOD: the rule decides it. What a person decided or deleted stays. */
export const IS_DECIDED_BY_RULE = sql`decided_by IS NULL AND reason IS NOT 'by_hand'`;

/** Of a channel `c`: when its newest VOD was broadcast. */
export const NEWEST_VOD = sql`(SELECT max(v.recorded_at) FROM vods v WHERE v.owner_id = c.owner_id)`;

/** Of a channel `c`: the earliest danger of its open VODs. */
export const EARLIEST_DANGER = sql`(SELECT v.danger_at FROM vods v
  WHERE v.owner_id = c.owner_id AND v.danger_at IS NOT NULL AND ${IS_OPEN}
  ORDER BY v.danger_at LIMIT 1)`;

/** "In danger" is what may be deleted within so long. */
const DANGER_MS = 3 * 86_400_000;

/** Selects the open VODs `v` that may be deleted within three days. */
export function inDanger(columns: Statement, nowMs: number): Statement {
  return sql`SELECT ${columns} FROM vods v JOIN channels vc ON vc.owner_id = v.owner_id
    WHERE v.danger_at <= ${nowMs + DANGER_MS} AND ${IS_OPEN}`;
}

import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { CHANNEL_BLOCK, HAS_CONSENT, ruleField } from "#service/storage/rule-permission.ts";

/** Condition on a VOD `v`, as an index has it: its rule is to start it, now or later. */
export const IS_STARTABLE = sql`v.next_start_at IS NOT NULL AND v.gone_at IS NULL`;

/** Shown of a VOD that waits for nothing else. */
export const WAITS_FOR_TURN = "Waits for its turn.";

/**
 * Assignment to `vods`, once a VOD was decided: it may start now if it is taken, and is not stored and has
 * no upload or one that failed.
 */
export function mayStart(isTaken: Statement, nowMs: number): Statement {
  return sql`(next_start_at, waits_for) = (SELECT ${nowMs}, ${WAITS_FOR_TURN} FROM vod_states s
    WHERE s.seq = vods.seq AND ${isTaken} AND NOT s.is_stored
      AND ifnull(s.upload_status, 'failed') = 'failed')`;
}

/**
 * Startable VODs `v` with their channels `r`; a CTE, because a channel with any is judged once for
 * all of them: `r.block` says why none of its VODs may be started, as a sentence. Only people can change
 * it, so that each round looks again without asking anybody. `which` is a condition on channels `c`.
 */
export function startableVods(
  columns: Statement,
  which: Statement = sql`TRUE`,
  condition: Statement = sql`TRUE`,
): Statement {
  return sql`WITH ruled AS MATERIALIZED (
      SELECT c.owner_id, c.author_id, o.login, ${ruleField("quality")} AS quality,
        ${ruleField("chat")} AS chat,
        (SELECT k.text_version FROM consents k
          WHERE k.owner_id = c.owner_id AND ${HAS_CONSENT}) AS text_version,
        ${CHANNEL_BLOCK} AS block
      FROM channels c JOIN users o ON o.id = c.owner_id JOIN channel_defaults d
      WHERE ${which} AND c.owner_id IN (
        SELECT v.owner_id FROM vods v INDEXED BY vods_startable WHERE ${IS_STARTABLE}))
    SELECT ${columns} FROM vods v INDEXED BY vods_startable
    CROSS JOIN ruled r ON r.owner_id = v.owner_id
    WHERE ${IS_STARTABLE} AND ${condition}`;
}

import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { AUTHOR_MAY_START, HAS_BASIS, HAS_CONSENT } from "./basis.ts";

/** Of a channel `c`, with the defaults `d`: a field of its rule. */
function ruleField(name: "chat" | "priority" | "quality" | "start"): Statement {
  const builtIn = BUILT_IN_RULE[name];
  return sql`coalesce(c.changes ->> ${name}, d.rule ->> ${name},
    ${typeof builtIn === "boolean" ? Number(builtIn) : builtIn})`;
}

/** Condition on a VOD `v`: it is wanted and was not started so far, as the index has it. */
export const IS_STARTABLE = sql`v.decision = 'take' AND v.gone_at IS NULL
  AND v.next_start_at IS NULL`;

/** The next round looks again at what waits, of a channel or of all: what it waited for may have changed. */
export function lookAgain(channelId: string | null): Statement {
  return sql`UPDATE vods AS v SET waits_for = NULL WHERE ${IS_STARTABLE} AND v.waits_for IS NOT NULL
    AND ${channelId === null ? sql`TRUE` : sql`v.owner_id = ${channelId}`}`;
}

/**
 * Startable VODs `v` with their channels `r`; a CTE, because a channel with any is judged once for
 * all of them. `which` is a condition on channels `c`.
 */
export function startableVods(
  columns: Statement,
  which: Statement = sql`TRUE`,
  condition: Statement = sql`TRUE`,
): Statement {
  return sql`WITH ruled AS MATERIALIZED (
      SELECT c.owner_id, c.author_id, o.login, ${ruleField("quality")} AS quality,
        ${ruleField("chat")} AS chat, ${ruleField("priority")} AS priority,
        ${ruleField("start")} AS start,
        (SELECT k.text_version FROM consents k
          WHERE k.owner_id = c.owner_id AND ${HAS_CONSENT}) AS text_version,
        CASE WHEN d.paused_at IS NOT NULL THEN 'All rules are paused.'
          WHEN c.paused_at IS NOT NULL THEN 'The rule of this channel is paused.'
          WHEN NOT ${AUTHOR_MAY_START} THEN 'The author of the rule may no longer start archives. Someone who may has to save it.'
          WHEN NOT ${HAS_BASIS} THEN o.display_name || ' has not agreed to archiving, and nobody has confirmed the rights.'
        END AS block
      FROM channels c JOIN users o ON o.id = c.owner_id JOIN channel_defaults d
      WHERE ${which} AND c.owner_id IN (
        SELECT v.owner_id FROM vods v INDEXED BY vods_startable WHERE ${IS_STARTABLE}))
    SELECT ${columns} FROM vods v INDEXED BY vods_startable
    CROSS JOIN ruled r ON r.owner_id = v.owner_id
    WHERE ${IS_STARTABLE} AND ${condition}`;
}

/**
 * Why a VOD `v` of a channel `r` may not be started, as a sentence; null if it may. Only people or
 * the source can change it, so that each round looks again without asking anybody.
 */
export const START_BLOCK = sql`coalesce(r.block, CASE WHEN v.is_growing = 1 AND r.start = 'ended'
  THEN 'Waits for the end of the broadcast.' END)`;

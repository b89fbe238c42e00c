import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/**
 * What a rule needs to archive a VOD. All of it can be taken back, so it is asked at the start of an
 * upload by a rule (channels/start.ts), whenever a runner takes it, and at each of the
 * runner's writes (storage/lease.ts).
 */

/** Condition on a channel `c`: its owner's consent is in force. */
export const HAS_CONSENT = sql`EXISTS (SELECT 1 FROM consents k JOIN users ko ON ko.id = k.owner_id
  WHERE k.owner_id = c.owner_id AND k.withdrawn_at IS NULL AND ko.banned_at IS NULL)`;

/** Condition on a channel `c`: archiving it is allowed, by its owner or on the word of its rule's author. */
export const HAS_BASIS = sql`(${HAS_CONSENT} OR EXISTS (SELECT 1 FROM rights_confirmations r
  WHERE r.owner_id = c.owner_id AND r.confirmed_by = c.author_id AND trim(r.reason) <> ''))`;

/** Condition on a channel `c`: the author of its rule may still start uploads. */
export const AUTHOR_MAY_START = sql`EXISTS (SELECT 1 FROM users a WHERE a.id = c.author_id
  AND a.banned_at IS NULL AND instr(a.permissions, '"write:uploads"') > 0)`;

/** Of a channel `c`, with the defaults `d`: a field of its rule. Binds no values, which are limited. */
export function ruleField(name: "chat" | "quality"): Statement {
  const builtIn = BUILT_IN_RULE[name];
  const value = typeof builtIn === "boolean" ? Number(builtIn) : `'${builtIn}'`;
  return {
    sql: `coalesce(c.changes ->> '${name}', d.default_rule ->> '${name}', ${value})`,
    values: [],
  };
}

/** Of a channel `c`, its owner `o` and the defaults `d`: why its rule may archive nothing; null if it may. */
export const CHANNEL_BLOCK = sql`CASE WHEN d.rules_paused_at IS NOT NULL THEN 'All rules are paused.'
  WHEN c.paused_at IS NOT NULL THEN 'The rule of this channel is paused.'
  WHEN NOT ${AUTHOR_MAY_START} THEN 'The author of the rule may no longer start archives. Someone who may has to save it.'
  WHEN NOT ${HAS_BASIS} THEN o.display_name || ' has not agreed to archiving, and nobody has confirmed the rights.'
END`;

/**
 * Of `uploads` by rules: why one may not be copied, as a sentence; null if it may. The names of the
 * VOD's columns leave `vod_id` to the upload, by whatever name the statement knows it.
 */
export const RULE_BLOCK = sql`nullif(coalesce((
    SELECT coalesce(${CHANNEL_BLOCK}, '')
    FROM (SELECT vod_id AS of_vod, owner_id AS of_owner, decision FROM vods) AS v
      JOIN channels c ON c.owner_id = v.of_owner JOIN users o ON o.id = v.of_owner
      JOIN deployment d
    WHERE v.of_vod = vod_id AND v.decision = 'take'
  ), 'The rule of the channel no longer takes this VOD.'), '')`;

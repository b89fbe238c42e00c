import * as z from "zod/mini";
import {
  type LeftOutReason,
  leftOutReasonSchema,
  type Rule,
  ruleChangesSchema,
  vodKindSchema,
} from "#contract/channel-rules.ts";
import { flagColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { defaultRule, effectiveRule, judgeVod } from "./rule.ts";
import { IS_DECIDED_BY_RULE } from "./vod-state.ts";

/**
 * What the rules take of the VODs seen at the source. A list that is read decides new VODs, and a
 * change of a rule decides all again that no person has decided. An upload that a rule began goes
 * on: a change of the rule neither cancels nor deletes anything. A round that is interrupted leaves
 * the rest to the next reading of the lists.
 */

const decidedRow = z.object({
  seq: z.number(),
  owner_id: z.string(),
  kind: vodKindSchema,
  title: z.string(),
  duration_sec: z.nullable(z.number()),
  recorded_at: z.number(),
  is_growing: flagColumn,
  decision: z.nullable(z.string()),
  reason: z.nullable(leftOutReasonSchema),
});

const ruledRow = z.object({
  owner_id: z.string(),
  added_at: z.number(),
  changes: jsonText(ruleChangesSchema),
});

/** So many rows are read and judged in a few tens of milliseconds. */
const VODS_AT_ONCE = 5_000;

/**
 * Decides the VODs of these channels again, or of all, by their present rules. Safe to repeat, and
 * writes only what changes.
 */
export async function decideAgain(database: Database, channelId: string | null): Promise<void> {
  const ofChannel = channelId === null ? sql`TRUE` : sql`owner_id = ${channelId}`;
  const defaults = await readDefaultRule(database);
  const channels = new Map(
    (
      await database.all(sql`SELECT owner_id, added_at, changes FROM channels WHERE ${ofChannel}`)
    ).map((row) => {
      const { owner_id: id, added_at: addedAtMs, changes } = ruledRow.parse(row);
      return [id, { addedAtMs, rule: effectiveRule(defaults, changes) }] as const;
    }),
  );
  for (let after = 0; ;) {
    const rows =
      await database.all(sql`SELECT seq, owner_id, kind, title, duration_sec, recorded_at,
        is_growing, decision, reason
      FROM vods WHERE ${ofChannel} AND seq > ${after} AND gone_at IS NULL AND ${IS_DECIDED_BY_RULE}
      ORDER BY seq LIMIT ${VODS_AT_ONCE}`);
    const changed = rows.flatMap((row) => {
      const vod = decidedRow.parse(row);
      after = vod.seq;
      const channel = channels.get(vod.owner_id);
      if (channel === undefined) return [];
      const reason = judgeVod(
        channel.rule,
        {
          kind: vod.kind,
          title: vod.title,
          durationSec: vod.duration_sec,
          recordedAtMs: vod.recorded_at,
          isGrowing: vod.is_growing,
        },
        channel.addedAtMs,
      );
      const decision = decisionOf(reason);
      return vod.decision === decision && vod.reason === reason
        ? []
        : [{ seq: vod.seq, decision, reason }];
    });
    if (changed.length > 0) await database.run(writeDecisions(changed));
    if (rows.length < VODS_AT_ONCE) return;
  }
}

/** A rule's verdict as the column holds it. */
function decisionOf(reason: LeftOutReason | null): "take" | "leave" {
  return reason === null ? "take" : "leave";
}

function writeDecisions(
  changed: readonly { seq: number; decision: string; reason: string | null }[],
): Statement {
  return sql`UPDATE vods SET decision = each.value ->> 'decision',
      reason = each.value ->> 'reason', waits_for = NULL, next_start_at = NULL
    FROM json_each(${JSON.stringify(changed)}) AS each
    WHERE vods.seq = each.value ->> 'seq' AND ${IS_DECIDED_BY_RULE}`;
}

/** The default rule as it is now. */
async function readDefaultRule(database: Pick<Database, "all">): Promise<Rule> {
  const [row] = await database.all(sql`SELECT rule FROM channel_defaults`);
  return defaultRule(jsonText(ruleChangesSchema).parse(row?.["rule"] ?? "{}"));
}

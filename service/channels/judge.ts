import * as z from "zod/mini";
import { type LeftOutReason, type Rule, ruleChangesSchema } from "#contract/channel-rules.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { rankByRetention } from "#service/trash/beyond-retention.ts";
import { SAVED_RETENTIONS } from "#service/trash/removable-files.ts";
import { readSizeEstimate } from "./bit-rate.ts";
import { defaultRule, effectiveRule, type Judge, judgeBy, type JudgedVod } from "./rule.ts";
import { planStart } from "./start.ts";
import { IS_DECIDED_BY_RULE } from "./vod-state.ts";

/**
 * What the rules take of the VODs seen at the source. A list that is read decides new VODs, and a
 * change of a rule decides all again that no person has decided; every hour all are, because time has
 * passed and what is stored has changed. An upload that a rule began goes on: a change of the rule
 * neither cancels nor deletes anything. A round that is interrupted leaves the rest to the next one.
 *
 * A VOD that only the retention may leave out is left out until it was ranked among the others, so
 * that no start comes between.
 */
const ruledRow = z.object({
  owner_id: z.string(),
  added_at: z.number(),
  changes: jsonText(ruleChangesSchema),
});

/** Twitch ends a broadcast after two days; the limit spares the reading of all VODs of live channels. */
const LONGEST_BROADCAST_MS = 3 * 86_400_000;

/** So many rows are read and judged in a few tens of milliseconds. */
const VODS_AT_ONCE = 5_000;

/**
 * Decides the VODs of these channels again, or of all, by their present rules. Safe to repeat, and
 * writes only what changes.
 */
export async function judgeVods(
  database: Database,
  channelId: string | null,
  nowMs: number,
): Promise<void> {
  const ofChannel = channelId === null ? sql`TRUE` : sql`owner_id = ${channelId}`;
  const channels = await readChannels(database, ofChannel);
  await judgeAgain(database, channels, ofChannel, nowMs);
  await rankAgain(database, channels, nowMs);
}

/**
 * As time passes, a broadcast that grows becomes long enough, or too long. One that the last sweep did
 * not find live may have ended. Call every minute.
 */
export async function judgeGrowing(database: Database, nowMs: number): Promise<void> {
  const isLive = sql`stream_id IS NOT NULL AND stream_missed_at IS NULL`;
  const channels = await readChannels(database, isLive);
  const changed = await judgeAgain(
    database,
    channels,
    sql`is_growing = 1 AND recorded_at > ${nowMs - LONGEST_BROADCAST_MS}
      AND owner_id IN (SELECT owner_id FROM channels WHERE ${isLive})`,
    nowMs,
  );
  await rankAgain(database, new Map([...channels].filter(([id]) => changed.has(id))), nowMs);
}

type Channels = ReadonlyMap<string, Rule & { readonly addedAtMs: number; readonly judge: Judge }>;

async function readChannels(database: Database, which: Statement): Promise<Channels> {
  const defaults = await readDefaultRule(database);
  const rows = await database.all(
    sql`SELECT owner_id, added_at, changes FROM channels WHERE ${which}`,
  );
  return new Map(
    rows.map((row) => {
      const { owner_id: id, added_at: addedAtMs, changes } = ruledRow.parse(row);
      const rule = effectiveRule(defaults, changes);
      return [id, { ...rule, addedAtMs, judge: judgeBy(rule) }] as const;
    }),
  );
}

/** Resolves with the channels of which a decision changed. */
async function judgeAgain(
  database: Database,
  channels: Channels,
  which: Statement,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const changedIds = new Set<string>();
  for (let after = 0; channels.size > 0;) {
    const rows = await database.all(sql`SELECT v.seq, v.owner_id, ${JUDGED_COLUMNS},
        v.is_stored, v.decision, v.reason
      FROM vod_states v WHERE ${which} AND seq > ${after} AND gone_at IS NULL AND ${IS_DECIDED_BY_RULE}
      ORDER BY seq LIMIT ${VODS_AT_ONCE}`);
    const changed = rows.flatMap((row) => {
      const seq = Number(row["seq"]);
      const ownerId = String(row["owner_id"]);
      after = seq;
      const rule = channels.get(ownerId);
      if (rule === undefined) return [];
      const judged = rule.judge(readJudged(row), rule.addedAtMs, nowMs);
      const isRanked = judged === null && rule.retention.keep !== "all" && row["is_stored"] !== 1;
      const reason = isRanked && row["decision"] !== "take" ? "retention" : judged;
      const decision = decisionOf(reason);
      if (row["decision"] === decision && row["reason"] === reason) return [];
      changedIds.add(ownerId);
      return [{ seq, decision, reason }];
    });
    if (changed.length > 0) await database.run(writeDecisions(changed, nowMs));
    if (rows.length < VODS_AT_ONCE) break;
  }
  return changedIds;
}

/**
 * Leaves out what the retention of its rule would remove at once, and takes the rest. What is being
 * copied is copied to its end: newer VODs that push it out may yet fail.
 */
async function rankAgain(database: Database, channels: Channels, nowMs: number): Promise<void> {
  const rules = new Map([...channels].filter(([, { retention }]) => retention.keep !== "all"));
  if (rules.size === 0) return;
  const ids = JSON.stringify([...rules.keys()]);
  const unstored = await unstoredVods(
    database,
    rules,
    sql`${IS_DECIDED_BY_RULE} AND (v.decision = 'take' OR v.reason = 'retention')`,
  );
  const retentions = sql`${SAVED_RETENTIONS} WHERE c.owner_id IN (SELECT value FROM json_each(${ids}))`;
  await database.run(sql`UPDATE vods SET decision = iif(ranked.is_beyond, 'leave', 'take'),
      reason = iif(ranked.is_beyond, 'retention', NULL),
      ${planStart(sql`NOT ranked.is_beyond`, nowMs)}
    FROM (${rankByRetention(retentions, nowMs, unstored)}) AS ranked
    WHERE ranked.is_unstored AND vods.vod_id = ranked.vod AND ${IS_DECIDED_BY_RULE}
      AND NOT (ranked.is_beyond AND EXISTS (SELECT 1 FROM uploads u
        WHERE u.vod_id = ranked.vod AND u.status = 'processing'))
      AND vods.reason IS NOT iif(ranked.is_beyond, 'retention', NULL)`);
}

/** A rule's verdict as the column holds it. */
function decisionOf(reason: LeftOutReason | null): "take" | "leave" {
  return reason === null ? "take" : "leave";
}

function writeDecisions(
  changed: readonly { seq: number; decision: string; reason: string | null }[],
  nowMs: number,
): Statement {
  return sql`UPDATE vods SET decision = each.value ->> 'decision',
      reason = each.value ->> 'reason',
      ${planStart(sql`each.value ->> 'decision' = 'take'`, nowMs)}
    FROM json_each(${JSON.stringify(changed)}) AS each
    WHERE vods.seq = each.value ->> 'seq' AND ${IS_DECIDED_BY_RULE}`;
}

/** The default rule as it is now. */
async function readDefaultRule(database: Pick<Database, "all">): Promise<Rule> {
  const [row] = await database.all(sql`SELECT rule FROM channel_defaults`);
  return defaultRule(jsonText(ruleChangesSchema).parse(row?.["rule"] ?? "{}"));
}

/** The columns of a VOD `v` for {@link readJudged}. */
export const JUDGED_COLUMNS = sql`v.kind, v.title, v.duration_sec, v.recorded_at, v.is_growing`;

/**
 * Reads without a schema: a rule judges up to 100,000 rows in one request, and a schema takes longer
 * than all the rest.
 */
export function readJudged(row: Row): JudgedVod {
  const durationSec = row["duration_sec"] ?? null;
  return {
    kind: String(row["kind"]),
    title: String(row["title"]),
    durationSec: durationSec === null ? null : Number(durationSec),
    recordedAtMs: Number(row["recorded_at"]),
    isGrowing: row["is_growing"] === 1,
  };
}

/**
 * VODs that the retention of their rule would remove at once if they were stored: a rule does not take
 * them. One whose upload failed or was cancelled fills no place, and neither does one that a person
 * took; the size of what is not stored is estimated.
 */

/** Of channels with their rules, by their id. */
type Rules = ReadonlyMap<string, Pick<Rule, "quality" | "retention">>;

/** The VODs `v` that are not stored, for rankByRetention(); `which` is a condition on them. */
async function unstoredVods(
  database: Database,
  rules: Rules,
  which: Statement,
): Promise<Statement> {
  const [[only] = [], ...others] = [...rules];
  const hasBytes = [...rules.values()].some(({ retention }) => retention.keep === "bytes");
  const estimate = hasBytes
    ? await readSizeEstimate(database, others.length === 0 ? (only ?? null) : null)
    : () => 0;
  const bytesPerSec = JSON.stringify(
    Object.fromEntries([...rules].map(([id, { quality }]) => [id, estimate(id, quality, 1)])),
  );
  return sql`SELECT r.owner_id, v.vod_id AS vod, v.recorded_at,
      coalesce(v.duration_sec, 0) * (${bytesPerSec} ->> v.owner_id) AS size_bytes,
      (v.upload_status IS NULL OR v.upload_status IN ('pending', 'processing')) AS counts,
      v.is_growing, NULL AS seq, NULL AS protection
    FROM rules r CROSS JOIN vod_states v ON v.owner_id = r.owner_id
    WHERE NOT v.is_stored AND v.gone_at IS NULL AND ${which}`;
}

/** Of the VODs `v` that meet `which`: those that `retentions` (rankByRetention) would remove at once. */
export async function findRemovedAtOnce(
  database: Database,
  retentions: Statement,
  rules: Rules,
  which: Statement,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if ([...rules.values()].every(({ retention }) => retention.keep === "all")) return new Set();
  const unstored = await unstoredVods(database, rules, which);
  const rows = await database.all(sql`SELECT vod
    FROM (${rankByRetention(retentions, nowMs, unstored)}) WHERE is_unstored AND is_beyond`);
  return new Set(rows.map(({ vod }) => String(vod)));
}

import * as z from "zod/mini";
import { type LeftOutReason, type Rule, ruleChangesSchema } from "#contract/channel-rules.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { rankByRetention, type UnstoredVod } from "#service/trash/beyond-retention.ts";
import { SAVED_RETENTIONS } from "#service/trash/removable-files.ts";
import { readSizeEstimate } from "./bit-rate.ts";
import { type ChannelVod, readChannelVods, readVodPage } from "./channel-vods.ts";
import { defaultRule, effectiveRule, type Judge, judgeBy } from "./rule.ts";
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

/** So many are read and judged in some ten milliseconds, and are at most 2 MB of JSON. */
const VODS_AT_ONCE = 2_500;

/** Rules that change as often while all VODs are judged leave the rest to the next hour. */
const ROUNDS = 3;

/**
 * Decides the VODs of these channels again, or of all, by their present rules. Safe to repeat, and
 * writes only what changes. Whoever changes a rule meanwhile may judge before this one writes, so it
 * judges once more.
 */
export async function judgeVods(
  database: Database,
  channelId: string | null,
  nowMs: number,
): Promise<void> {
  const ofChannel = channelId === null ? sql`TRUE` : sql`owner_id = ${channelId}`;
  let channels = await readChannels(database, ofChannel);
  for (let round = 0; round < ROUNDS; round += 1) {
    const rules = JSON.stringify([...channels]);
    await judgeAgain(database, channels, ofChannel, nowMs);
    await rankAgain(database, channels, nowMs);
    channels = await readChannels(database, ofChannel);
    if (JSON.stringify([...channels]) === rules) return;
  }
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
  const isJudged = sql`${which} AND ${IS_DECIDED_BY_RULE}`;
  for (let after = 0; channels.size > 0;) {
    const vods = await readVodPage(database, isJudged, after, VODS_AT_ONCE);
    const changed = vods.flatMap((vod) => {
      const { seq, ownerId, decision, isStored } = vod;
      after = Math.max(after, seq);
      const rule = channels.get(ownerId);
      if (rule === undefined) return [];
      const judged = rule.judge(vod, rule.addedAtMs, nowMs);
      const isRanked = judged === null && rule.retention.keep !== "all" && !isStored;
      const reason = isRanked && decision !== "take" ? "retention" : judged;
      if (decision === decisionOf(reason) && vod.reason === reason) return [];
      changedIds.add(ownerId);
      return [{ seq, reason } as const];
    });
    await writeDecisions(database, changed, nowMs);
    if (vods.length < VODS_AT_ONCE) break;
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
  const isRanked = sql`(decision = 'take' OR reason = 'retention')`;
  const unstored = await findUnstored(database, rules, sql`${IS_DECIDED_BY_RULE} AND ${isRanked}`);
  const retentions = sql`${SAVED_RETENTIONS} WHERE ${isOf(sql`c.owner_id`, rules)}`;
  const ranked = await rankByRetention(database, retentions, nowMs, unstored);
  const changed = ranked.flatMap(([, vods]) =>
    vods.flatMap(({ unstored: vod, isBeyond }) => {
      const reason = isBeyond ? ("retention" as const) : null;
      return vod === null || vod.reason === reason ? [] : [{ seq: vod.seq, reason }];
    }),
  );
  const isCopied = sql`EXISTS (SELECT 1 FROM uploads u
    WHERE u.vod_id = vods.vod_id AND u.status = 'processing')`;
  for (let from = 0; from < changed.length; from += VODS_AT_ONCE)
    await writeDecisions(database, changed.slice(from, from + VODS_AT_ONCE), nowMs, (reason) =>
      reason === null ? isRanked : sql`${isRanked} AND NOT ${isCopied}`,
    );
}

/** A rule's verdict as the column holds it. */
function decisionOf(reason: LeftOutReason | null): "take" | "leave" {
  return reason === null ? "take" : "leave";
}

type Judged = { readonly seq: number; readonly reason: LeftOutReason | null };

async function writeDecisions(
  database: Database,
  judged: readonly Judged[],
  nowMs: number,
  which = (_reason: LeftOutReason | null) => sql`TRUE`,
): Promise<void> {
  if (judged.length === 0) return;
  await database.batch(
    [...Map.groupBy(judged, ({ reason }) => reason)].map(
      ([reason, vods]) => sql`UPDATE vods SET decision = ${decisionOf(reason)}, reason = ${reason},
          ${planStart(sql`${Number(reason === null)}`, nowMs)}
        WHERE seq IN (SELECT value FROM json_each(${JSON.stringify(vods.map(({ seq }) => seq))}))
          AND ${IS_DECIDED_BY_RULE} AND ${which(reason)}`,
    ),
  );
}

/** The default rule as it is now. */
async function readDefaultRule(database: Pick<Database, "all">): Promise<Rule> {
  const [row] = await database.all(sql`SELECT default_rule FROM deployment`);
  return defaultRule(jsonText(ruleChangesSchema).parse(row?.["default_rule"] ?? "{}"));
}

/** The rules of channels, by the channel's id. */
type Rules = ReadonlyMap<string, Pick<Rule, "quality" | "retention">>;

/** The VODs of channels that are not stored and meet `which`, by their channels. */
export async function findUnstored(
  database: Database,
  rules: Rules,
  which: Statement,
): Promise<ReadonlyMap<string, readonly Unstored[]>> {
  const [[only] = [], ...others] = [...rules];
  const estimate = await readSizeEstimate(database, others.length === 0 ? (only ?? null) : null);
  const channels = await readChannelVods(
    database,
    isOf(sql`c.owner_id`, rules),
    sql`NOT v.is_stored AND ${which}`,
  );
  return new Map(
    channels.map(({ ownerId, vods }) => {
      const quality = rules.get(ownerId)?.quality ?? "best";
      return [ownerId, unstoredOf(vods, estimate.sizeOf(ownerId, quality, 1))];
    }),
  );
}

type Unstored = ChannelVod & UnstoredVod;

/**
 * What a retention has to know of VODs that are not stored. Their size is estimated. One whose upload
 * failed or was cancelled does not count against the retention.
 */
export function unstoredOf(vods: readonly ChannelVod[], bytesPerSec: number): readonly Unstored[] {
  return vods.map((vod) => ({
    ...vod,
    sizeBytes: (vod.durationSec ?? 0) * bytesPerSec,
    counts: vod.uploadStatus === null || ["pending", "processing"].includes(vod.uploadStatus),
  }));
}

function isOf(ownerId: Statement, rules: Rules): Statement {
  return sql`${ownerId} IN (SELECT value FROM json_each(${JSON.stringify([...rules.keys()])}))`;
}

/** Of the VODs that are not stored: those that `retentions` (rankByRetention) would remove at once. */
export async function findRemovedAtOnce(
  database: Database,
  retentions: Statement,
  unstored: ReadonlyMap<string, readonly UnstoredVod[]>,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const ranked = await rankByRetention(database, retentions, nowMs, unstored);
  return new Set(
    ranked.flatMap(([, vods]) =>
      vods.flatMap((vod) => (vod.isBeyond && vod.unstored !== null ? [vod.id] : [])),
    ),
  );
}

import * as z from "zod/mini";
import { formatBytes } from "#contract/format-bytes.ts";
import { qualitySchema } from "#contract/quality.ts";
import { newToken } from "#service/auth/session-tokens.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { flagColumn } from "#service/db/columns.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { mayCopy } from "#service/storage/consent-pause.ts";
import { isInForce } from "#service/storage/consent.ts";
import { isEndangered, LONGEST_TURN_MS } from "#service/storage/lease.ts";
import { isConfirmed } from "#service/storage/rights-confirmation.ts";
import { holdUploads } from "#service/storage/rule-hold.ts";
import { CHANNEL_BLOCK, HAS_CONSENT, ruleField } from "#service/storage/rule-permission.ts";
import { retryUpload } from "#service/storage/upload-actions.ts";
import { publishUploads } from "#service/storage/upload-events.ts";
import { insertArchive } from "#service/uploads/upload-insert.ts";
import { readSizeEstimate } from "./bit-rate.ts";
import { freePlaces, hasFreePlace, readPlaces, readRooms } from "./start-limits.ts";

/**
 * Starts by rules. A wanted VOD waits in `vods`, with `next_start_at` and the reason in `waits_for`, until
 * it is handed over: it gets its upload, or the one that failed is tried again. As many uploads by rules
 * are open as archives run at the same time, and one more each, so that a place that becomes free is taken
 * at once, and nothing else is in the queue of what a person may take back. No start asks the source,
 * whose list has just named the VOD.
 */

/** Condition on a VOD `v`: its rule is to start it, now or later. The index vods_startable has it. */
const IS_STARTABLE = sql`v.next_start_at IS NOT NULL AND v.gone_at IS NULL`;

/** Shown of a VOD that waits for nothing else. */
export const WAITS_FOR_TURN = "Waits for its turn.";

/**
 * Assignment to `vods`, once a VOD was decided: it may start now if it is taken, and is not stored and has
 * no upload or one that failed.
 */
export function planStart(isTaken: Statement, nowMs: number): Statement {
  return sql`(next_start_at, waits_for) = (SELECT ${nowMs}, ${WAITS_FOR_TURN} FROM vod_states s
    WHERE s.seq = vods.seq AND ${isTaken} AND NOT s.is_stored
      AND ifnull(s.upload_status, 'failed') = 'failed')`;
}

/**
 * Startable VODs `v` with their channels `r`; a CTE, because a channel with any is judged once for
 * all of them: `r.block` says why none of its VODs may be started, as a sentence. Only people can change
 * it, so that each round looks again without asking anybody. `which` is a condition on channels `c`.
 */
function startableVods(
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
      FROM channels c JOIN users o ON o.id = c.owner_id JOIN deployment d
      WHERE ${which} AND EXISTS (SELECT 1 FROM vods v INDEXED BY vods_startable
        WHERE v.owner_id = c.owner_id AND ${IS_STARTABLE}))
    SELECT ${columns} FROM ruled r
    CROSS JOIN vods v INDEXED BY vods_startable ON v.owner_id = r.owner_id
    WHERE ${IS_STARTABLE} AND ${condition}`;
}

/** Bounds the writes of a round. */
const STARTS_AT_ONCE = 50;

const candidateRow = z.object({
  seq: z.number(),
  vod_id: z.string(),
  owner_id: z.string(),
  login: z.string(),
  author_id: z.string(),
  title: z.string(),
  duration_sec: z.nullable(z.number()),
  recorded_at: z.number(),
  is_growing: flagColumn,
  is_endangered: flagColumn,
  text_version: z.nullable(z.number()),
  failed_upload_id: z.nullable(z.string()),
  quality: qualitySchema,
  chat: flagColumn,
});
type Candidate = z.infer<typeof candidateRow>;

/** Of a VOD `v`: an upload by its rule that failed. */
const FAILED_UPLOAD = sql`(SELECT u.id FROM uploads u INDEXED BY uploads_vod
  WHERE u.vod_id = v.vod_id AND u.by_rule AND u.status = 'failed' ORDER BY u.seq DESC LIMIT 1)`;

/** One round, which also says why the others wait. Safe to repeat and to run twice at once. */
export async function startByRules(context: ServiceContext): Promise<void> {
  const { database, clock } = context.platform;
  await holdUploads(context.platform);
  await database.batch([endStarts(sql`TRUE`), noteEnds]);
  const refusals = await handOver(context);
  await database.run(showReasons(sql`TRUE`, refusals, clock.now()));
}

/**
 * After a change or a list of one channel, whose VODs show at once why they wait, and whose growing
 * broadcast is handed over. Places that are free go to whatever comes first, of any channel.
 */
export async function startChannel(context: ServiceContext, channelId: string): Promise<void> {
  const { database, clock } = context.platform;
  await holdUploads(context.platform);
  await database.batch([endStarts(sql`v.owner_id = ${channelId}`), noteEnds]);
  const isOfChannel = sql`c.owner_id = ${channelId}`;
  const hasPlace = await hasFreePlace(context.platform);
  const refusals = await handOver(context, hasPlace ? sql`TRUE` : isOfChannel);
  await database.run(showReasons(isOfChannel, refusals, clock.now()));
}

/** Fills the places that became free. Safe at any time. */
export async function fillPlaces(context: ServiceContext): Promise<void> {
  if (await hasFreePlace(context.platform)) await handOver(context);
}

/**
 * Returns why VODs that came first have to wait, by `seq`. The order is that of the queue
 * (storage/lease.ts), by when the VOD was seen; broadcasts that grow need a place only for moments
 * and are handed over at once. `which` is a condition on channels `c`.
 */
async function handOver(
  context: ServiceContext,
  which = sql`TRUE`,
): Promise<Record<string, string>> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const columns = sql`v.seq, v.vod_id, v.owner_id, r.login, r.author_id, v.title, v.duration_sec,
    v.recorded_at, v.is_growing, ${isEndangered(nowMs)} AS is_endangered, r.quality, r.chat,
    r.text_version, ${FAILED_UPLOAD} AS failed_upload_id`;
  const isOld = sql`v.first_seen_at < ${nowMs - LONGEST_TURN_MS}`;
  const isDue = sql`${isPast(sql`v.next_start_at`, nowMs)}
    AND NOT EXISTS (SELECT 1 FROM uploads WHERE vod_id = v.vod_id AND status <> 'failed')`;
  const rows = await database.all(sql`
    ${startableVods(columns, which, sql`r.block IS NULL AND ${isDue}`)}
    ORDER BY v.is_growing DESC, iif(is_endangered, v.danger_at, ${Number.MAX_SAFE_INTEGER}),
      ${isOld} DESC, iif(${isOld}, v.first_seen_at, 0),
      coalesce(v.danger_at, 8640000000000000), v.recorded_at, v.seq
    LIMIT ${STARTS_AT_ONCE}`);
  const candidates = rows.map((row) => candidateRow.parse(row));
  return candidates.length === 0 ? {} : await startFitting(context, candidates);
}

const NO_ROOM = " has no room for the";

/** Condition on VODs `v` that their rule takes once the disk, or the budget, has room. */
export const WAITS_FOR_ROOM = sql`v.next_start_at IS NOT NULL AND v.gone_at IS NULL
  AND instr(v.waits_for, ${NO_ROOM}) > 0`;

/** Starts those that fit and have a place. Returns why the others have to wait, by `seq`. */
async function startFitting(
  context: ServiceContext,
  candidates: readonly Candidate[],
): Promise<Record<string, string>> {
  const [rooms, estimate, places] = await Promise.all([
    readRooms(context),
    readSizeEstimate(context.platform.database, null),
    readPlaces(context.platform),
  ]);
  const refusals: Record<string, string> = {};
  const started: string[] = [];
  for (const vod of candidates) {
    if (!vod.is_growing && (vod.is_endangered ? places.freeForEndangered : places.free) <= 0)
      continue;
    const bytes = estimate.sizeOf(vod.owner_id, vod.quality, vod.duration_sec);
    const full = rooms.find((room) => room.bytes < bytes || room.bytes <= 0);
    if (full === undefined) {
      const id = await start(context, vod);
      if (id === null) continue;
      started.push(id);
      for (const room of rooms) room.bytes -= bytes;
      if (vod.is_growing) continue;
      places.free -= 1;
      if (vod.is_endangered) places.freeForEndangered -= 1;
    } else refusals[vod.seq] = `${full.of}${NO_ROOM} ${formatBytes(bytes)} of this VOD.`;
  }
  await publishUploads(context.platform, started);
  return refusals;
}

/** The upload's id; null if something changed meanwhile, which the next round sees. */
async function start(context: ServiceContext, vod: Candidate): Promise<string | null> {
  const { platform, settings } = context;
  const { database, clock, random } = platform;
  if (vod.failed_upload_id !== null) {
    const uploadId = vod.failed_upload_id;
    const again = { uploadId, actorId: null, byRule: true, atMs: clock.now() };
    return (await retryUpload(context, again)) === "done" ? uploadId : null;
  }
  const id = newToken(random).slice(0, 24);
  const { vod_id: itemId, owner_id: ownerId, author_id: authorId, text_version: textVersion } = vod;
  const hasRights =
    textVersion === null ? isConfirmed(ownerId, authorId) : isInForce(ownerId, textVersion);
  const hasPlace = vod.is_growing ? sql`TRUE` : sql`${freePlaces(platform, vod.is_endangered)} > 0`;
  const mayStart = sql`${hasRights} AND ${hasPlace}
    AND NOT EXISTS (SELECT 1 FROM uploads WHERE vod_id = ${itemId})
    AND EXISTS (${startableVods(
      sql`1`,
      sql`c.owner_id = ${ownerId} AND c.author_id = ${authorId}`,
      sql`v.seq = ${vod.seq} AND r.block IS NULL`,
    )})`;
  const results = await batchIf(database, mayStart, [
    ...insertArchive(
      {
        id,
        kind: "twitch",
        itemId,
        sourceUrl: null,
        fileStem: `${vod.login}-${itemId}`,
        title: vod.title,
        ownerId,
        initiatedBy: authorId,
        textVersion,
        quality: vod.quality,
        durationSec: vod.duration_sec,
        recordedAtMs: vod.recorded_at,
        isGrowing: vod.is_growing,
        hasChat: vod.chat,
        byRule: true,
        maxRetries: settings.MAX_RETRIES,
      },
      clock.now(),
      {
        actorId: authorId,
        after: {
          vodId: itemId,
          ownerId,
          byRule: true,
          ...(textVersion === null
            ? { isRightsConfirmationRemembered: true }
            : { consentTextVersion: textVersion }),
          quality: vod.quality,
        },
      },
    ),
  ]);
  return results === null ? null : id;
}

/**
 * What is stored, or has an upload by a person, or one that was given up, is not started by a rule;
 * what has one that may be copied is under way. `which` is a condition on VODs `v`.
 */
function endStarts(which: Statement): Statement {
  return sql`UPDATE vods AS v SET next_start_at = NULL, waits_for = NULL
    WHERE ${which} AND ${IS_STARTABLE} AND (v.is_stored
      OR EXISTS (SELECT 1 FROM uploads WHERE uploads.vod_id = v.vod_id AND (NOT by_rule
        OR status IN ('completed', 'cancelled')
        OR (status IN ('pending', 'processing') AND ${mayCopy}))))`;
}

/** A waiting upload whose broadcast has ended takes its place among the others. */
const noteEnds = sql`UPDATE uploads SET is_live = 0
  WHERE is_live AND status = 'pending' AND kind <> 'manual'
    AND vod_id IN (SELECT vod_id FROM vods WHERE is_growing = 0)`;

/**
 * Those that were not started show why: what blocks them, what they do not fit into, or why they failed.
 * `which` is a condition on channels `c`.
 */
function showReasons(which: Statement, refusals: Record<string, string>, nowMs: number): Statement {
  const reason = sql`coalesce(r.block, ${JSON.stringify(refusals)} ->> CAST(v.seq AS TEXT),
    iif(${isPast(sql`v.next_start_at`, nowMs)}, NULL, v.waits_for), ${WAITS_FOR_TURN})`;
  return sql`WITH shown AS MATERIALIZED (
      ${startableVods(sql`v.seq, ${reason} AS reason`, which, sql`v.waits_for IS NOT ${reason}`)})
    UPDATE vods SET waits_for = shown.reason FROM shown WHERE vods.seq = shown.seq`;
}

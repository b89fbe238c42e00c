import * as z from "zod/mini";
import { ruleSchema } from "#contract/channel-rules.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { qualitySchema } from "#contract/quality.ts";
import { newToken } from "#service/auth/session-tokens.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { flagColumn } from "#service/db/columns.ts";
import { NEVER_MS } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { isInForce } from "#service/storage/consent.ts";
import { isConfirmed } from "#service/storage/rights-confirmation.ts";
import { publishUploads } from "#service/storage/upload-events.ts";
import { insertArchive, PRIORITIES } from "#service/uploads/upload-insert.ts";
import { readSizeEstimate } from "./bit-rate.ts";
import { readRooms } from "./start-room.ts";
import { IS_STARTABLE, START_BLOCK, startableVods } from "./startable-vods.ts";

/**
 * Starts by rules. A wanted VOD waits (`vods.next_start_at` is null) until a round gives it its
 * upload, once: what becomes of that is up to the archiver and to people. No start asks the source,
 * whose list has just named the VOD. A VOD that may not start keeps the reason in `waits_for`.
 */

/** Whether any wanted VOD was decided since the last round. */
export const HAS_NEW_WANTED = sql`SELECT 1 FROM vods AS v INDEXED BY vods_new_wanted
  WHERE ${IS_STARTABLE} AND v.waits_for IS NULL`;

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
  text_version: z.nullable(z.number()),
  quality: qualitySchema,
  chat: flagColumn,
  priority: ruleSchema.shape.priority,
});
type Candidate = z.infer<typeof candidateRow>;

/**
 * One round. The order is that of the queue (storage/lease.ts): broadcasts that grow, then by the
 * rule's priority, the earliest danger, and the date of the broadcast. Safe to repeat and to run
 * twice at once.
 */
export async function startByRules(context: ServiceContext): Promise<void> {
  const { database } = context.platform;
  await database.batch([settleStarted(sql`TRUE`), noteEnds]);
  const columns = sql`v.seq, v.vod_id, v.owner_id, r.login, r.author_id, v.title, v.duration_sec,
    v.recorded_at, v.is_growing, r.quality, r.chat, r.priority, r.text_version`;
  const rows = await database.all(sql`
    ${startableVods(columns, sql`TRUE`, sql`${START_BLOCK} IS NULL`)}
    ORDER BY v.is_growing DESC, CASE r.priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END,
      coalesce(v.danger_at, 8640000000000000), v.recorded_at, v.seq
    LIMIT ${STARTS_AT_ONCE}`);
  const candidates = rows.map((row) => candidateRow.parse(row));
  const refusals = candidates.length === 0 ? {} : await startFitting(context, candidates);
  await database.run(showReasons(refusals));
}

/** Starts those that fit. Returns why the others have to wait, by `seq`. */
async function startFitting(
  context: ServiceContext,
  candidates: readonly Candidate[],
): Promise<Record<string, string>> {
  const [rooms, sizeOf] = await Promise.all([
    readRooms(context),
    readSizeEstimate(context.platform.database, null),
  ]);
  const refusals: Record<string, string> = {};
  const started: string[] = [];
  for (const vod of candidates) {
    const bytes = sizeOf(vod.owner_id, vod.quality, vod.duration_sec);
    const full = rooms.find((room) => room.bytes < bytes || room.bytes <= 0);
    if (full === undefined) {
      const id = await start(context, vod);
      if (id === null) continue;
      started.push(id);
      for (const room of rooms) room.bytes -= bytes;
    } else refusals[vod.seq] = `${full.of} has no room for the ${formatBytes(bytes)} of this VOD.`;
  }
  await publishUploads(context.platform, started);
  return refusals;
}

/** The upload's id; null if something changed meanwhile, which the next round sees. */
async function start(
  { platform, settings }: ServiceContext,
  vod: Candidate,
): Promise<string | null> {
  const { database, clock, random } = platform;
  const id = newToken(random).slice(0, 24);
  const { vod_id: itemId, owner_id: ownerId, author_id: authorId, text_version: textVersion } = vod;
  const hasRights =
    textVersion === null ? isConfirmed(ownerId, authorId) : isInForce(ownerId, textVersion);
  const mayStart = sql`${hasRights}
    AND NOT EXISTS (SELECT 1 FROM uploads WHERE vod_id = ${itemId})
    AND EXISTS (${startableVods(
      sql`1`,
      sql`c.owner_id = ${ownerId} AND c.author_id = ${authorId}`,
      sql`v.seq = ${vod.seq} AND ${START_BLOCK} IS NULL`,
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
        priority: PRIORITIES[vod.priority],
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
    settleStarted(sql`v.seq = ${vod.seq}`),
  ]);
  return results === null ? null : id;
}

/** What has an upload or a file, by whomever, is not started by a rule. */
function settleStarted(which: Statement): Statement {
  return sql`UPDATE vods AS v SET next_start_at = ${NEVER_MS}, waits_for = NULL
    WHERE ${IS_STARTABLE} AND ${which}
      AND (v.is_stored = 1 OR EXISTS (SELECT 1 FROM uploads u WHERE u.vod_id = v.vod_id))`;
}

/** A waiting upload whose broadcast has ended takes its place among the others. */
const noteEnds = sql`UPDATE uploads SET is_live = 0
  WHERE is_live AND status = 'pending' AND kind <> 'manual'
    AND vod_id IN (SELECT vod_id FROM vods WHERE is_growing = 0)`;

/** What a round leaves over waits for its turn. Writes only what changes. */
function showReasons(refusals: Record<string, string>): Statement {
  return sql`UPDATE vods SET waits_for = shown.reason
    FROM (${startableVods(sql`v.seq,
      coalesce(${START_BLOCK}, ${JSON.stringify(refusals)} ->> CAST(v.seq AS TEXT), 'Waits for its turn.') AS reason`)}
    ) AS shown
    WHERE vods.seq = shown.seq AND vods.waits_for IS NOT shown.reason`;
}

import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { isPast } from "#service/db/due-time.ts";
import { join, sql } from "#service/db/sql.ts";
import type { Database, Row, RunResult, Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { toHex } from "#service/secrets/hex.ts";
import * as z from "zod/mini";
import { mayCopy } from "./consent-pause.ts";

/**
 * Each upload has at most one runner. A lease is a `lease_until` in the future. Taking it
 * increments the row's epoch, and every later write of the runner requires that epoch
 * ({@link batchUnderLease}). After another runner took the lease, or the upload was cancelled,
 * retried or deleted, these writes change no row and the runner stops.
 *
 * The epoch alone keeps writes safe; the time only says when another runner may try. Wrong clocks
 * therefore cause repeated work but never wrong bytes.
 */
export type UploadLease = {
  readonly uploadId: UploadId;
  readonly epoch: number;
};

/** A name for a process that takes leases, begun with its host's name. */
export function newLeaseOwner({ runtime, random }: Platform): string {
  return `${runtime.host}-${toHex(random.bytes(8))}`;
}

/**
 * Long enough for a slow part and a busy event loop, short enough that another host continues a
 * crashed host's archive within 30 seconds.
 */
export const LEASE_MS = 20_000;

/** A quarter of the lease, so that three renewals may fail in a row. */
export const RENEW_EVERY_MS = 5_000;

/**
 * Condition for a free lease. On a sole writer, leases of other owners are always free. `owner` is
 * null for a reader, which takes none.
 */
export function isFree(
  { clock, runtime }: Pick<Platform, "clock" | "runtime">,
  owner: string | null,
): Statement {
  const isOfEarlierProcess =
    runtime.isSoleWriter && owner !== null ? sql`lease_owner <> ${owner}` : sql`FALSE`;
  return sql`(lease_until IS NULL OR ${isPast(sql`lease_until`, clock.now())} OR ${isOfEarlierProcess})`;
}

/** Condition for an open upload that waits for nothing and that no runner has. */
export function isDueUpload(
  platform: Pick<Platform, "clock" | "runtime">,
  owner: string | null,
): Statement {
  return sql`status IN ('pending', 'processing')
    AND (next_attempt_at IS NULL OR ${isPast(sql`next_attempt_at`, platform.clock.now())})
    AND ${isFree(platform, owner)}`;
}

function isDueArchive(
  platform: Pick<Platform, "clock" | "runtime">,
  owner: string | null,
): Statement {
  return sql`kind <> 'manual' AND ${isDueUpload(platform, owner)} AND ${mayCopy}`;
}

/**
 * Condition: fewer archives run than may at the same time. The process of a sole writer counts its own
 * runs; processes of other hosts do not know each other. A reader takes no place, and sees what waits
 * for one.
 */
function hasPlace(
  { clock, runtime }: Pick<Platform, "clock" | "runtime">,
  owner: string | null,
): Statement {
  if (runtime.isSoleWriter || owner === null) return sql`TRUE`;
  return sql`(SELECT count(*) FROM uploads r INDEXED BY uploads_status
    WHERE r.status = 'processing' AND r.kind <> 'manual' AND r.lease_until > ${clock.now()})
    < ${runtime.archivePlaces}`;
}

/** Nobody waits for longer behind archives that came later. */
export const LONGEST_TURN_MS = 24 * 3_600_000;

/**
 * What may be deleted within this time goes first. What waits longer than a turn is put before the
 * rest by its age, so that a queue as long as this may stand before a VOD whose danger is farther.
 */
const NEAR_DANGER_MS = 2 * LONGEST_TURN_MS;

/** The first upload of the last {@link LONGEST_TURN_MS}; those before it have waited for longer. */
function firstOfDay(nowMs: number): Statement {
  return sql`ifnull((SELECT seq FROM uploads WHERE created_at > ${nowMs - LONGEST_TURN_MS}
    ORDER BY created_at LIMIT 1), ${Number.MAX_SAFE_INTEGER})`;
}

/** An unknown danger is late: the largest time of ECMAScript. */
const DANGER = sql`coalesce(danger_at, 8640000000000000)`;

/** The order of the index `uploads_queue` for broadcasts that have ended. */
const BY_DANGER = sql`by_rule, ${DANGER}, seq`;

/** Condition on an upload or a VOD: it may be deleted before its turn. */
export function isEndangered(nowMs: number): Statement {
  return sql`${DANGER} < ${nowMs + NEAR_DANGER_MS}`;
}

/**
 * The order of `uploads` that wait for a runner, and of VODs that wait for their uploads
 * (channels/start.ts): what vanishes first is taken first. Each step orders what is equal in
 * those before it.
 * 1. Archives that a runner had begun: they are shown as running.
 * 2. What may be deleted within {@link NEAR_DANGER_MS}, the earliest first.
 * 3. Broadcasts that still grow.
 * 4. Uploads of more than a day ago, the oldest first, however little hurry they have.
 * 5. Starts by people, so that nobody waits behind a channel's backlog.
 * 6. The earliest `danger_at`, from when the source may delete the VOD. Those without one are last.
 * 7. The oldest.
 */
export function queueOrder(nowMs: number): Statement {
  const isOld = sql`seq < ${firstOfDay(nowMs)}`;
  return sql`status = 'processing' AND phase <> 'waiting' DESC,
    iif(${isEndangered(nowMs)}, danger_at, ${Number.MAX_SAFE_INTEGER}), is_live DESC,
    ${isOld} DESC, iif(${isOld}, seq, 0), ${BY_DANGER}`;
}

/**
 * The first uploads that wait for a runner, in {@link queueOrder}. Reads from the indexes those of
 * the steps 1 and 3, which are few, and the first due ones of the others.
 */
export async function dueUploads(
  platform: Pick<Platform, "clock" | "runtime" | "database">,
  owner: string | null,
  limit: number,
): Promise<readonly UploadId[]> {
  const nowMs = platform.clock.now();
  const due = sql`${isDueArchive(platform, owner)} AND ${hasPlace(platform, owner)}`;
  const oldest = (status: Statement): Statement =>
    sql`SELECT seq FROM (SELECT seq FROM uploads INDEXED BY uploads_status
      WHERE status = ${status} AND seq < (SELECT seq FROM first_of_day) AND ${due}
      ORDER BY seq LIMIT ${limit})`;
  const endangered = [0, 1].map(
    (byRule) => sql`SELECT seq FROM (SELECT seq FROM uploads INDEXED BY uploads_queue
      WHERE is_live = 0 AND by_rule = ${byRule} AND ${isEndangered(nowMs)} AND ${due}
      ORDER BY ${DANGER}, seq LIMIT ${limit})`,
  );
  const rows = await platform.database.all(sql`
    WITH first_of_day (seq) AS MATERIALIZED (SELECT ${firstOfDay(nowMs)}),
      candidates (seq) AS (
        SELECT seq FROM uploads INDEXED BY uploads_status
          WHERE status = 'processing' AND phase <> 'waiting' AND ${due}
        UNION ALL SELECT seq FROM (${join(endangered, " UNION ALL ")})
        UNION ALL SELECT seq FROM uploads INDEXED BY uploads_queue WHERE is_live = 1 AND ${due}
        UNION ALL SELECT seq FROM (${oldest(sql`'processing'`)} UNION ALL ${oldest(sql`'pending'`)})
        UNION ALL SELECT seq FROM (SELECT seq FROM uploads INDEXED BY uploads_queue
          WHERE is_live = 0 AND ${due} ORDER BY ${BY_DANGER} LIMIT ${limit}))
    SELECT id FROM uploads WHERE seq IN (SELECT seq FROM candidates)
    ORDER BY ${queueOrder(nowMs)} LIMIT ${limit}`);
  return rows.map((row) => uploadIdSchema.parse(row.id));
}

/**
 * Makes all due uploads wait until `untilMs` and show the reason. Returns the uploads that did not
 * show it yet.
 */
export async function holdDue(
  platform: Platform,
  owner: string,
  reason: string,
  untilMs: number,
): Promise<readonly UploadId[]> {
  const { clock, database } = platform;
  const due = isDueArchive(platform, owner);
  const [shown] = await database.batch([
    sql`UPDATE uploads SET error_message = ${reason},
        phase = CASE status WHEN 'processing' THEN 'waiting' END, epoch = epoch + 1,
        lease_owner = NULL, lease_until = NULL, version = version + 1, updated_at = ${clock.now()}
      WHERE ${due} AND error_message IS NOT ${reason}
      RETURNING id`,
    sql`UPDATE uploads SET next_attempt_at = ${untilMs} WHERE ${due}`,
  ]);
  return (shown?.rows ?? []).map((row) => uploadIdSchema.parse(row.id));
}

/**
 * Assignment for a run that the upload's own data may keep from ever ending: it counts as a lost
 * start until it copies or its end is recorded.
 */
export const startCounted = sql`lost_starts = lost_starts + 1`;

/**
 * Condition on `uploads u`: another upload that begins, `o`, may end the process before this one has
 * begun. Such a start is not counted, so that a crash is blamed on at most one of those that began
 * together. That one begins alone from then on.
 */
function beginsBeside(nowMs: number, o: Statement): Statement {
  return sql`EXISTS (SELECT 1 FROM uploads o INDEXED BY uploads_status
    WHERE o.status = 'processing' AND o.kind <> 'manual' AND o.id <> u.id
      AND o.lease_until > ${nowMs} AND ${o})`;
}

/** A lease with the row of its upload at the time it was taken. */
export type TakenLease = UploadLease & { readonly row: Row };

/**
 * Before a sole writer's first run: releases what a crashed process held, so that its archives are
 * shown as waiting until they run again.
 */
export function releaseLeases(nowMs: number): Statement {
  return sql`UPDATE uploads SET lease_owner = NULL, lease_until = NULL, epoch = epoch + 1,
      version = version + 1, updated_at = ${nowMs}
    WHERE status = 'processing' AND lease_owner IS NOT NULL`;
}

const epochRow = z.object({ epoch: z.number() });

/** Takes the lease of an archive. Returns null if it is taken, not due, finished or gone. */
export function takeLease(
  platform: Platform,
  owner: string,
  uploadId: string,
): Promise<TakenLease | null> {
  const nowMs = platform.clock.now();
  // What a pending one shows is why it waited. What goes on after its owner's withdrawal rests on the
  // word of the rule's author.
  const lacksConsent = sql`by_rule AND NOT EXISTS (SELECT 1 FROM consents c
    WHERE c.owner_id = u.owner_id AND c.withdrawn_at IS NULL)`;
  const changes = sql`phase = COALESCE(phase, 'planning'), speed_bytes_per_sec = NULL,
    error_message = iif(status = 'pending', NULL, error_message),
    lost_starts = lost_starts + NOT ${beginsBeside(nowMs, sql`o.lost_starts > 0`)},
    rights = iif(${lacksConsent}, 'administrator_confirmed', rights),
    consent_text_version = iif(${lacksConsent}, NULL, consent_text_version)`;
  const mayBegin = sql`NOT ${beginsBeside(nowMs, sql`o.lost_starts > iif(u.lost_starts > 0, 0, 1)`)}`;
  const condition = sql`${isDueArchive(platform, owner)} AND ${mayBegin} AND ${hasPlace(platform, owner)}`;
  return takeLeaseIf(platform, owner, uploadId, condition, changes);
}

/** `condition` is on `uploads u`; `changes` are further assignments. */
export async function takeLeaseIf(
  { clock, database }: Platform,
  owner: string,
  uploadId: string,
  condition: Statement,
  changes: Statement,
): Promise<TakenLease | null> {
  const nowMs = clock.now();
  const { rows } = await database.run(sql`
    UPDATE uploads AS u SET status = 'processing', epoch = epoch + 1, version = version + 1,
      lease_owner = ${owner}, lease_until = ${nowMs + LEASE_MS}, next_attempt_at = NULL,
      started_at = COALESCE(started_at, ${nowMs}), updated_at = ${nowMs}, ${changes}
    WHERE id = ${uploadId} AND ${condition}
    RETURNING *`);
  const [row] = rows;
  if (row === undefined) return null;
  return { uploadId: uploadIdSchema.parse(uploadId), epoch: epochRow.parse(row).epoch, row };
}

/** Condition on `uploads`: the row of the lease, as long as it holds. */
export function isLeased(lease: UploadLease): Statement {
  return sql`id = ${lease.uploadId} AND epoch = ${lease.epoch} AND status = 'processing'`;
}

/** Another runner or an administrator has taken the upload: stop without another write. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/**
 * The only way in which a runner writes: all statements take effect while the lease holds and the
 * archive may be copied, or none. They need no guards of their own.
 * @throws {LeaseLost}
 */
export async function batchUnderLease(
  database: Database,
  lease: UploadLease,
  statements: readonly Statement[],
): Promise<readonly RunResult[]> {
  const holds = sql`EXISTS (SELECT 1 FROM uploads
    WHERE ${isLeased(lease)} AND (kind = 'manual' OR ${mayCopy}))`;
  const results = await batchIf(database, holds, statements);
  if (results === null) throw new LeaseLost("Another runner holds this upload");
  return results;
}

/** Ends a run: releases its lease, with further assignments to the row. */
export function endLease(
  { uploadId }: UploadLease,
  nowMs: number,
  ...changes: Statement[]
): Statement {
  const released = sql`lease_owner = NULL, lease_until = NULL, lost_starts = 0,
    version = version + 1, updated_at = ${nowMs}`;
  return sql`UPDATE uploads SET ${join([released, ...changes], ", ")} WHERE id = ${uploadId}`;
}

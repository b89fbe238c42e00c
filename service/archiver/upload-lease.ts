import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, RunResult, Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { LeaseLost } from "./run-end.ts";
import * as z from "zod/mini";

/**
 * One runner an upload. A lease is a row's `lease_until` in the future; taking it raises the
 * row's epoch, and every later write of the runner names that epoch. A runner that slept past its
 * lease, or whose upload was cancelled, retried or deleted, changes no row from then on and stops.
 *
 * The epoch alone keeps writes safe; the time only says when another runner may try. Wrong clocks
 * therefore cost repeated work and never a wrong byte.
 */
export type UploadLease = {
  readonly uploadId: UploadId;
  readonly epoch: number;
};

/**
 * Long enough to outlive a slow part and a busy event loop, short enough that a crashed host's
 * archive goes on within 30 seconds.
 */
export const LEASE_MS = 20_000;

/** A quarter of the lease, so that three renewals may fail in a row. */
export const RENEW_EVERY_MS = 5_000;

/** Places this many uploads at most into one question for due work. */
const MAX_DUE = 100;

/** When a lease counts as free. On a host that alone works on the database, others' are dead. */
function isFree(owner: string, isSoleWriter: boolean, nowMs: number): Statement {
  return isSoleWriter
    ? sql`(lease_until IS NULL OR lease_until <= ${nowMs} OR lease_owner <> ${owner})`
    : sql`(lease_until IS NULL OR lease_until <= ${nowMs})`;
}

function isDue(owner: string, isSoleWriter: boolean, nowMs: number): Statement {
  return sql`kind = 'twitch' AND status IN ('pending', 'processing')
    AND (next_attempt_at IS NULL OR next_attempt_at <= ${nowMs})
    AND ${isFree(owner, isSoleWriter, nowMs)}`;
}

/** A channel's uploads of this long count as its turns, whatever has become of them. */
const TURNS_MS = 24 * 3_600_000;

/**
 * Uploads that wait for a runner, in turns: each channel's first before any channel's second, counted
 * anew each day. A channel with a thousand VODs thus holds up nobody who asks for one. Reads the
 * open uploads and a day's others.
 */
export async function dueUploads(
  platform: Platform,
  owner: string,
  limit: number,
): Promise<readonly UploadId[]> {
  const nowMs = platform.clock.now();
  const due = isDue(owner, platform.runtime.isSoleWriter, nowMs);
  const rows = await platform.database.all(sql`
    SELECT id FROM (
      SELECT id, seq, ${due} AS is_due, row_number() OVER (PARTITION BY owner_id ORDER BY seq) AS turn
      FROM uploads WHERE seq IN (
        SELECT seq FROM uploads WHERE status IN ('pending', 'processing')
        UNION ALL SELECT seq FROM uploads WHERE created_at > ${nowMs - TURNS_MS}))
    WHERE is_due ORDER BY turn, seq LIMIT ${Math.min(limit, MAX_DUE)}`);
  return rows.map((row) => uploadIdSchema.parse(row.id));
}

/**
 * Lets everything that is due wait until `untilMs`, showing why. Answers which uploads did not show
 * this reason yet.
 */
export async function holdDue(
  { database, clock, runtime }: Platform,
  owner: string,
  reason: string,
  untilMs: number,
): Promise<readonly UploadId[]> {
  const due = isDue(owner, runtime.isSoleWriter, clock.now());
  const [shown] = await database.batch([
    sql`UPDATE uploads SET error_message = ${reason},
        phase = CASE status WHEN 'processing' THEN 'waiting' END, lease_owner = NULL,
        lease_until = NULL, version = version + 1, updated_at = ${clock.now()}
      WHERE ${due} AND error_message IS NOT ${reason}
      RETURNING id`,
    sql`UPDATE uploads SET next_attempt_at = ${untilMs} WHERE ${due}`,
  ]);
  return (shown?.rows ?? []).map((row) => uploadIdSchema.parse(row.id));
}

const epochRow = z.object({ epoch: z.number() });

/** Null when there is nothing to do: taken, not due, finished or gone. */
export async function takeLease(
  platform: Platform,
  owner: string,
  uploadId: string,
): Promise<UploadLease | null> {
  const nowMs = platform.clock.now();
  const { rows } = await platform.database.run(sql`
    UPDATE uploads SET status = 'processing', epoch = epoch + 1, version = version + 1,
      lease_owner = ${owner}, lease_until = ${nowMs + LEASE_MS}, next_attempt_at = NULL,
      phase = COALESCE(phase, 'planning'), started_at = COALESCE(started_at, ${nowMs}),
      speed_bytes_per_sec = NULL, updated_at = ${nowMs}
    WHERE id = ${uploadId} AND ${isDue(owner, platform.runtime.isSoleWriter, nowMs)}
    RETURNING epoch`);
  if (rows[0] === undefined) return null;
  return { uploadId: uploadIdSchema.parse(uploadId), epoch: epochRow.parse(rows[0]).epoch };
}

/** For the WHERE of an update of the upload's own row. */
export function holds(lease: UploadLease): Statement {
  return sql`id = ${lease.uploadId} AND epoch = ${lease.epoch} AND status = 'processing'`;
}

/** For the WHERE of a write to any other table. */
export function isHeld(lease: UploadLease): Statement {
  return sql`EXISTS (SELECT 1 FROM uploads WHERE ${holds(lease)})`;
}

/** @throws {LeaseLost} when the guarded update, the first of the batch, changed nothing */
export async function batchUnderLease(
  database: Database,
  statements: readonly [Statement, ...Statement[]],
): Promise<readonly RunResult[]> {
  const results = await database.batch(statements);
  if ((results[0]?.changes ?? 0) === 0) throw new LeaseLost("Another runner has this upload");
  return results;
}

/** @throws {LeaseLost} */
export async function renewLease(platform: Platform, lease: UploadLease): Promise<void> {
  await batchUnderLease(platform.database, [
    sql`UPDATE uploads SET lease_until = ${platform.clock.now() + LEASE_MS} WHERE ${holds(lease)}`,
  ]);
}

/** Lets the next runner in at once. Losing the lease in the meantime is no fault. */
export async function releaseLease(platform: Platform, lease: UploadLease): Promise<void> {
  await platform.database.run(sql`
    UPDATE uploads SET lease_owner = NULL, lease_until = NULL, speed_bytes_per_sec = NULL,
      version = version + 1, updated_at = ${platform.clock.now()}
    WHERE ${holds(lease)}`);
}

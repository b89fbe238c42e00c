import type { ObjectKey } from "#contract/files.ts";
import type { UploadId } from "#contract/ids.ts";
import { recordCheckpoint, sizeOfParts, type ConfirmedPart } from "#service/archiver/checkpoint.ts";
import { planRemoval } from "#service/archiver/store-removals.ts";
import { holds, isHeld, type UploadLease } from "#service/archiver/upload-lease.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { manualTailPrefix } from "./manual-keys.ts";
import type { TailPiece } from "./manual-row.ts";

/**
 * What one step of a manual upload puts on record, all in one batch under the lease: parts that the
 * store has confirmed, or the piece that is left after them. Bytes that are not on record here were
 * never acknowledged.
 */

/** Parts take the place of the pieces before them, whose objects then have to go. */
export function recordParts(
  lease: UploadLease,
  parts: readonly ConfirmedPart[],
  bytesBefore: number,
  nowMs: number,
): readonly Statement[] {
  return [
    ...recordCheckpoint(lease, parts, bytesBefore + sizeOfParts(parts), nowMs),
    ...dropTail(lease, nowMs),
  ];
}

/** The pieces' objects are removed once nothing refers to them. */
export function dropTail(lease: UploadLease, nowMs: number): readonly Statement[] {
  return [
    sql`INSERT INTO store_removals (object_key, not_before_at)
      SELECT object_key, ${nowMs} FROM upload_tails
      WHERE upload_id = ${lease.uploadId} AND ${isHeld(lease)}`,
    sql`DELETE FROM upload_tails WHERE upload_id = ${lease.uploadId} AND ${isHeld(lease)}`,
  ];
}

/** No request lives that long; another one of the same upload is what the removal waits for. */
const PLANNED_FOR_MS = 24 * 3_600_000;

/** The removal of a piece that is about to be stored, until {@link recordTail} takes it back. */
export function planTail(lease: UploadLease, key: ObjectKey, nowMs: number): Statement {
  return planRemoval({ key, multipartId: null }, nowMs + PLANNED_FOR_MS, isHeld(lease));
}

/** Pieces that requests before this lease never put on record are due: none of them can any more. */
export function dropUnrecordedTails(uploadId: UploadId, nowMs: number): Statement {
  const prefix = manualTailPrefix(uploadId);
  return sql`
    UPDATE store_removals SET not_before_at = ${nowMs}
    WHERE object_key > ${prefix} AND object_key < ${`${prefix}~`}
      AND attempts = 0 AND not_before_at > ${nowMs}
      AND object_key NOT LIKE '%-' || (SELECT epoch FROM uploads WHERE id = ${uploadId})`;
}

/**
 * For an upload that takes no more requests: the same, beside what is planned already, since one
 * that is still under way may yet store its piece, and die then.
 */
export function dropPlannedTails(uploadId: UploadId, nowMs: number, guard: Statement): Statement {
  const prefix = manualTailPrefix(uploadId);
  return sql`
    INSERT INTO store_removals (object_key, not_before_at)
    SELECT object_key, ${nowMs} FROM store_removals
    WHERE object_key > ${prefix} AND object_key < ${`${prefix}~`}
      AND attempts = 0 AND not_before_at > ${nowMs} AND ${guard}`;
}

export function recordTail(
  lease: UploadLease,
  piece: TailPiece,
  storedBytes: number,
): readonly [Statement, ...Statement[]] {
  return [
    sql`UPDATE uploads SET stored_bytes = ${storedBytes} WHERE ${holds(lease)}`,
    sql`INSERT INTO upload_tails (upload_id, start_offset, size_bytes, object_key)
      SELECT ${lease.uploadId}, ${piece.start_offset}, ${piece.size_bytes}, ${piece.object_key}
      WHERE ${isHeld(lease)}`,
    sql`UPDATE files SET size_bytes = ${storedBytes}
      WHERE upload_id = ${lease.uploadId} AND upload_type = 'chunk' AND ${isHeld(lease)}`,
    sql`DELETE FROM store_removals WHERE object_key = ${piece.object_key} AND ${isHeld(lease)}`,
  ];
}

/** The end of one request: nobody writes until the next one comes. */
export function endRequest(
  lease: UploadLease,
  {
    offset,
    length,
    nowMs,
    expiresAtMs,
  }: { offset: number; length: number; nowMs: number; expiresAtMs: number },
): readonly Statement[] {
  const progress = length === 0 ? 0 : Math.min(99.9, (offset / length) * 100);
  return [
    sql`UPDATE manual_uploads SET expires_at = ${expiresAtMs}
      WHERE upload_id = ${lease.uploadId} AND ${isHeld(lease)}`,
    sql`UPDATE uploads SET stored_bytes = ${offset}, progress = ${progress},
        phase = ${offset === length ? "proving" : "waiting"}, speed_bytes_per_sec = NULL,
        lease_owner = NULL, lease_until = NULL, version = version + 1, updated_at = ${nowMs}
      WHERE ${holds(lease)}`,
  ];
}

import * as z from "zod/mini";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import type { UploadId } from "#contract/ids.ts";
import { withStoreRetries } from "#service/archiver/part-writer.ts";
import { StartOver } from "#service/archiver/run-end.ts";
import { planRemoval } from "#service/archiver/store-removals.ts";
import { holds, isHeld, type UploadLease } from "#service/archiver/upload-lease.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { digestInTailKey, manualTailKey, manualTailPrefix } from "./manual-keys.ts";
import type { ManualRow } from "./manual-row.ts";
import { UNKNOWN_TYPE } from "./media-type.ts";

/**
 * Acknowledged bytes that are not in a part yet. Each piece is a separate object with a row in
 * `upload_tails`; bytes without a row were never acknowledged.
 */

const piece = z.object({
  start_offset: z.number(),
  size_bytes: z.number(),
  object_key: objectKeySchema,
});
export type Piece = z.infer<typeof piece>;

/** Returns the pieces that begin at `fromOffset` or later, in order. */
export async function readPieces(
  database: Database,
  uploadId: string,
  fromOffset: number,
): Promise<readonly Piece[]> {
  const rows = await database.all(sql`
    SELECT start_offset, size_bytes, object_key FROM upload_tails
    WHERE upload_id = ${uploadId} AND start_offset >= ${fromOffset} ORDER BY start_offset`);
  return rows.map((row) => piece.parse(row));
}

/**
 * Copies the bytes of consecutive pieces to the beginning of `target`.
 * @throws {StartOver} when the store no longer holds a piece that it confirmed
 */
export async function copyPieces(
  platform: Platform,
  pieces: readonly Piece[],
  target: Uint8Array,
): Promise<void> {
  let at = 0;
  for (const { object_key: key, size_bytes: sizeBytes } of pieces) {
    const sha256 = digestInTailKey(key);
    const place = target.subarray(at, at + sizeBytes);
    const isHere = await withStoreRetries(platform, new AbortController().signal, async () => {
      const found = await platform.objects.get(key);
      return found !== null && (await fill(place, found.body));
    });
    if (!isHere || (sha256 !== null && (await platform.digests.sha256(place)) !== sha256))
      throw new StartOver(`The store lost ${key}, which it had confirmed`);
    at += sizeBytes;
  }
}

/** Returns whether the body has exactly the size of `place`. */
async function fill(place: Uint8Array, body: ReadableStream<Uint8Array>): Promise<boolean> {
  let at = 0;
  for await (const chunk of body) {
    if (at + chunk.byteLength > place.byteLength) return false;
    place.set(chunk, at);
    at += chunk.byteLength;
  }
  return at === place.byteLength;
}

/**
 * Stores bytes as a piece that replaces those within it, and returns the statements that record it.
 */
export async function storePiece(
  platform: Platform,
  upload: Pick<ManualRow, "id">,
  lease: UploadLease,
  startOffset: number,
  bytes: Uint8Array,
): Promise<readonly [Statement, ...Statement[]]> {
  const sha256 = await platform.digests.sha256(bytes);
  const key = manualTailKey(upload.id, { startOffset, sha256 }, lease.epoch);
  const nowMs = platform.clock.now();
  const endOffset = startOffset + bytes.byteLength;
  // Planned before the piece is stored, so that it is removed if the process dies in between.
  await platform.database.run(planPiece(lease, key, nowMs));
  await withStoreRetries(platform, new AbortController().signal, () =>
    platform.objects.put(key, bytes, { contentType: UNKNOWN_TYPE }),
  );
  // Remove the piece if the lease was lost while it was being stored.
  await platform.database.run(
    planRemoval({ key, multipartId: null }, nowMs, sql`NOT ${isHeld(lease)}`),
  );
  return [
    sql`UPDATE uploads SET stored_bytes = ${endOffset} WHERE ${holds(lease)}`,
    ...dropPieces(lease, { startOffset, endOffset }, nowMs),
    sql`INSERT INTO upload_tails (upload_id, start_offset, size_bytes, object_key)
      SELECT ${lease.uploadId}, ${startOffset}, ${bytes.byteLength}, ${key}
      WHERE ${isHeld(lease)}`,
    sql`UPDATE files SET size_bytes = ${endOffset}
      WHERE upload_id = ${lease.uploadId} AND upload_type = 'chunk' AND ${isHeld(lease)}`,
    sql`DELETE FROM store_removals WHERE object_key = ${key} AND ${isHeld(lease)}`,
  ];
}

/** Plans the removal of a piece before it is stored; recording the piece cancels it. */
export function planPiece(lease: UploadLease, key: ObjectKey, nowMs: number): Statement {
  return planRemoval({ key, multipartId: null }, nowMs + PLANNED_FOR_MS, isHeld(lease));
}

/** Deletes the rows of the pieces within these bytes and plans the removal of their objects. */
export function dropPieces(
  lease: UploadLease,
  { startOffset, endOffset }: { readonly startOffset: number; readonly endOffset: number },
  nowMs: number,
): readonly Statement[] {
  const dropped = sql`upload_id = ${lease.uploadId} AND start_offset >= ${startOffset}
    AND start_offset + size_bytes <= ${endOffset} AND ${isHeld(lease)}`;
  return [
    sql`INSERT INTO store_removals (object_key, not_before_at)
      SELECT object_key, ${nowMs} FROM upload_tails WHERE ${dropped}`,
    sql`DELETE FROM upload_tails WHERE ${dropped}`,
  ];
}

/** No request lives this long; the next request of the upload brings the removal forward. */
const PLANNED_FOR_MS = 24 * 3_600_000;

/** Makes the removal of unrecorded pieces due, since earlier requests can no longer record them. */
export function dropUnrecordedPieces(uploadId: UploadId, nowMs: number): Statement {
  const prefix = manualTailPrefix(uploadId);
  return sql`
    UPDATE store_removals SET not_before_at = ${nowMs}
    WHERE object_key > ${prefix} AND object_key < ${`${prefix}~`}
      AND attempts = 0 AND not_before_at > ${nowMs}
      AND object_key NOT LIKE '%-' || (SELECT epoch FROM uploads WHERE id = ${uploadId})`;
}

/**
 * The same for an upload that accepts no more requests. Keeps the planned removals too, because a
 * request that is still running may store its piece later and then die.
 */
export function dropPlannedPieces(uploadId: UploadId, nowMs: number, guard: Statement): Statement {
  const prefix = manualTailPrefix(uploadId);
  return sql`
    INSERT INTO store_removals (object_key, not_before_at)
    SELECT object_key, ${nowMs} FROM store_removals
    WHERE object_key > ${prefix} AND object_key < ${`${prefix}~`}
      AND attempts = 0 AND not_before_at > ${nowMs} AND ${guard}`;
}

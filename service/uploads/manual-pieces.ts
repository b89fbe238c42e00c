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
 * Acknowledged bytes that are in no part yet. Each piece is an object of its own with a row in
 * `upload_tails`; bytes without a row were never acknowledged.
 */

const piece = z.object({
  start_offset: z.number(),
  size_bytes: z.number(),
  object_key: objectKeySchema,
});
export type Piece = z.infer<typeof piece>;

/** Those that begin at `fromOffset` or later, in order. */
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
 * Copies the bytes of pieces that follow each other to the beginning of `target`.
 * @throws {StartOver} when the store no longer holds what it confirmed
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

/** Answers whether the body has exactly as many bytes as there is room for. */
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
 * Stores bytes as a piece that takes the place of those from its start on, and answers what puts it
 * on record.
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
  // Written down before the store has it: a process that dies in between leaves nothing behind.
  await platform.database.run(planPiece(lease, key, nowMs));
  await withStoreRetries(platform, new AbortController().signal, () =>
    platform.objects.put(key, bytes, { contentType: UNKNOWN_TYPE }),
  );
  // Should the upload be gone by the time the store answers, so will this piece.
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

/** The removal of a piece that is about to be stored; putting it on record takes it back. */
export function planPiece(lease: UploadLease, key: ObjectKey, nowMs: number): Statement {
  return planRemoval({ key, multipartId: null }, nowMs + PLANNED_FOR_MS, isHeld(lease));
}

/** Takes pieces within these bytes off the record. Their objects are removed after that. */
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

/** No request lives that long; another one of the same upload is what the removal waits for. */
const PLANNED_FOR_MS = 24 * 3_600_000;

/** Pieces that requests before this lease never put on record are due: none of them can any more. */
export function dropUnrecordedPieces(uploadId: UploadId, nowMs: number): Statement {
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
export function dropPlannedPieces(uploadId: UploadId, nowMs: number, guard: Statement): Statement {
  const prefix = manualTailPrefix(uploadId);
  return sql`
    INSERT INTO store_removals (object_key, not_before_at)
    SELECT object_key, ${nowMs} FROM store_removals
    WHERE object_key > ${prefix} AND object_key < ${`${prefix}~`}
      AND attempts = 0 AND not_before_at > ${nowMs} AND ${guard}`;
}

import * as z from "zod/mini";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { planPieceRemovals, planRemoval } from "./store-removals.ts";
import type { UploadLease } from "./lease.ts";
import { storedUnitSchema, type StoredUnit } from "./checkpoint.ts";
import { jsonText } from "#service/db/json-text.ts";
import { requirement } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { drop } from "#service/jobs/jobs.ts";
import type { Platform } from "#service/platform.ts";
import { digestInKey, incompletePartKey } from "./object-keys.ts";
import { withStoreRetries } from "./multipart.ts";
import { StartOver } from "./run-end.ts";

/**
 * Acknowledged bytes of a manual upload that are not in a part yet, and bytes of an archive that
 * waits for its broadcast to grow (archiver/unsealed-part.ts). Each piece is a separate object with a row in
 * `incomplete_parts`; bytes without a row were never acknowledged. Pieces of a chat, whose rows are in
 * `chat_pieces`, are stored and read in the same way.
 */

const pieceRow = z.object({
  start_offset: z.number(),
  size_bytes: z.number(),
  object_key: objectKeySchema,
  finished_units: z.nullable(jsonText(z.array(storedUnitSchema))),
});
export type Piece = z.infer<typeof pieceRow>;

/** Returns the pieces that begin at `fromOffset` or later, in order. */
export async function readPieces(
  database: Database,
  uploadId: string,
  fromOffset: number,
): Promise<readonly Piece[]> {
  const rows = await database.all(sql`
    SELECT start_offset, size_bytes, object_key, finished_units FROM incomplete_parts
    WHERE upload_id = ${uploadId} AND start_offset >= ${fromOffset} ORDER BY start_offset`);
  return rows.map((row) => pieceRow.parse(row));
}

/**
 * Copies the bytes of consecutive pieces to the beginning of `target`.
 * @throws {StartOver} when the store no longer holds a piece that it confirmed
 */
export async function copyPieces(
  platform: Platform,
  pieces: readonly Pick<Piece, "object_key" | "size_bytes">[],
  target: Uint8Array,
): Promise<void> {
  let at = 0;
  for (const { object_key: key, size_bytes: sizeBytes } of pieces) {
    const sha256 = digestInKey(key);
    const place = target.subarray(at, at + sizeBytes);
    const isHere = await withStoreRetries(platform, new AbortController().signal, async () => {
      const found = await platform.objects.get(key);
      return found !== null && (await fill(place, found.body));
    });
    if (!isHere || (await platform.digests.sha256(place)) !== sha256)
      throw new StartOver(`The store lost ${key}, which it had confirmed`);
    at += sizeBytes;
  }
}

/**
 * Returns whether the body has exactly the size of `place`.
 * @throws {StoreError} when the body is interrupted
 */
async function fill(place: Uint8Array, body: ReadableStream<Uint8Array>): Promise<boolean> {
  let at = 0;
  try {
    for await (const chunk of body) {
      if (at + chunk.byteLength > place.byteLength) return false;
      place.set(chunk, at);
      at += chunk.byteLength;
    }
  } catch (error) {
    throw new StoreError("unavailable", "A piece could not be read to its end", { cause: error });
  }
  return at === place.byteLength;
}

/** Longer than any request to a store takes, with its retries. */
const PLANNED_FOR_MS = 3_600_000;

/**
 * Stores the object of a piece under a key made of its digest. Its removal is planned before, for
 * the case that the process dies before the piece is recorded ({@link recordPiece}).
 */
export async function putPiece(
  platform: Platform,
  bytes: Uint8Array,
  keyOf: (sha256: string) => ObjectKey,
): Promise<ObjectKey> {
  const key = keyOf(await platform.digests.sha256(bytes));
  const atMs = platform.clock.now() + PLANNED_FOR_MS;
  await platform.database.run(planRemoval({ key, multipartId: null }, atMs));
  await withStoreRetries(platform, new AbortController().signal, () =>
    platform.objects.put(key, bytes, { contentType: "application/octet-stream" }),
  );
  return key;
}

/**
 * Stores bytes as a piece that replaces those within it; returns the statements that record it.
 * `finishedUnits`: of an archive, the units that end in these bytes.
 */
export async function storePiece(
  platform: Platform,
  lease: UploadLease,
  startOffset: number,
  bytes: Uint8Array,
  finishedUnits: readonly StoredUnit[] | null = null,
): Promise<readonly Statement[]> {
  const key = await putPiece(platform, bytes, (sha256) =>
    incompletePartKey(lease.uploadId, { startOffset, sha256 }, lease.epoch),
  );
  const endOffset = startOffset + bytes.byteLength;
  return recordPiece(key, [
    sql`UPDATE uploads SET stored_bytes = ${endOffset} WHERE id = ${lease.uploadId}`,
    ...dropPieces(lease, { startOffset, endOffset }, platform.clock.now()),
    sql`INSERT INTO incomplete_parts (upload_id, start_offset, size_bytes, object_key, finished_units)
      VALUES (${lease.uploadId}, ${startOffset}, ${bytes.byteLength}, ${key},
        ${finishedUnits === null ? null : JSON.stringify(finishedUnits)})`,
    sql`UPDATE files SET size_bytes = ${endOffset}
      WHERE upload_id = ${lease.uploadId} AND upload_type = 'chunk'`,
  ]);
}

/**
 * Statements that record a piece and cancel its planned removal. They require that it was not tried,
 * e.g. by a sweep after this process was suspended.
 */
export function recordPiece(
  key: ObjectKey,
  statements: readonly Statement[],
): readonly Statement[] {
  const isPlanned = sql`EXISTS (SELECT 1 FROM jobs
    WHERE kind = 'removal' AND key = ${key} AND attempts = 0)`;
  return [requirement(isPlanned), ...statements, drop("removal", key)];
}

/** Deletes the rows of the pieces within these bytes and plans the removal of their objects. */
export function dropPieces(
  { uploadId }: UploadLease,
  { startOffset, endOffset }: { readonly startOffset: number; readonly endOffset: number },
  nowMs: number,
): readonly Statement[] {
  const dropped = sql`upload_id = ${uploadId} AND start_offset >= ${startOffset}
    AND start_offset + size_bytes <= ${endOffset}`;
  return planPieceRemovals(dropped, nowMs);
}

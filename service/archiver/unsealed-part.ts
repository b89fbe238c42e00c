import { sql } from "#service/db/sql.ts";
import type { BufferPool } from "#service/storage/buffer-pool.ts";
import { sizeOfParts, type ConfirmedPart } from "#service/storage/checkpoint.ts";
import { copyPieces, readPieces, storePiece } from "#service/storage/incomplete-part.ts";
import { batchUnderLease } from "#service/storage/lease.ts";
import type { UnsealedPart } from "#service/storage/part-writer.ts";
import { planPieceRemovals } from "#service/storage/store-removals.ts";
import { StartOver } from "#service/storage/run-end.ts";
import type { ArchiveRun } from "./archive-run.ts";

/**
 * While a broadcast grows, a run ends whenever it has copied what there is, usually in the middle of
 * a part. What does not fill the part is kept as pieces, one for each run, so that it is fetched
 * once, and so that a deletion of the VOD loses none of it. The next run begins its part with them.
 */

/** What earlier runs kept of a part, at the beginning of a buffer for the whole part. */
export type BegunPart = UnsealedPart & { readonly buffer: Uint8Array };

/**
 * Keeps what `unsealed` has more than `begun`, which is null if a part was sealed since.
 * @throws {LeaseLost} {TryLater} and the reason of the run's signal
 */
export async function keepUnsealedPart(
  { context, lease, signal }: ArchiveRun,
  parts: readonly ConfirmedPart[],
  unsealed: UnsealedPart,
  begun: UnsealedPart | null,
): Promise<void> {
  const { platform } = context;
  const keptBytes = begun?.bytes.byteLength ?? 0;
  const bytes = unsealed.bytes.subarray(keptBytes);
  if (bytes.byteLength === 0) return;
  const finishedUnits = unsealed.finishedUnits.slice(begun?.finishedUnits.length ?? 0);
  const startOffset = sizeOfParts(parts) + keptBytes;
  const record = await storePiece(platform, lease, startOffset, bytes, finishedUnits);
  // A run that was aborted meanwhile may have been recorded as ended.
  signal.throwIfAborted();
  await batchUnderLease(platform.database, lease, record);
}

/**
 * What the last runs kept behind `parts`, or null. If the store has lost some of it, or if it belongs
 * behind parts that are not on record, all is fetched again from the source.
 */
export async function readUnsealedPart(
  { context, lease }: ArchiveRun,
  parts: readonly ConfirmedPart[],
  { pool, partSizeBytes }: { readonly pool: BufferPool; readonly partSizeBytes: number },
): Promise<BegunPart | null> {
  const { platform, log } = context;
  const pieces = await readPieces(platform.database, lease.uploadId, 0);
  if (pieces.length === 0) return null;
  let endOffset = sizeOfParts(parts);
  const startOffset = endOffset;
  const areNext = pieces.every((piece) => {
    const isNext = piece.start_offset === endOffset;
    endOffset += piece.size_bytes;
    return isNext;
  });
  if (areNext) {
    const buffer = pool.take(partSizeBytes);
    const bytes = buffer.subarray(0, endOffset - startOffset);
    try {
      await copyPieces(platform, pieces, bytes);
      const finishedUnits = pieces.flatMap((piece) => piece.finished_units ?? []);
      return { buffer, bytes, finishedUnits };
    } catch (error) {
      pool.give(buffer);
      if (!(error instanceof StartOver)) throw error;
      log.warn("An unfinished part is fetched again", { uploadId: lease.uploadId, error });
    }
  }
  await batchUnderLease(
    platform.database,
    lease,
    planPieceRemovals(sql`upload_id = ${lease.uploadId}`, platform.clock.now()),
  );
  return null;
}

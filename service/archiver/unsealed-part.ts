import { sizeOfParts, type ConfirmedPart } from "#service/storage/checkpoint.ts";
import {
  copyPieces,
  dropPieces,
  readPieces,
  storePiece,
} from "#service/storage/incomplete-part.ts";
import { batchUnderLease } from "#service/storage/lease.ts";
import type { UnsealedPart } from "#service/storage/part-writer.ts";
import { StartOver } from "#service/storage/run-outcome.ts";
import type { ArchiveRun } from "./archive-run.ts";

/**
 * While a broadcast grows, a run ends whenever it has copied what there is, usually in the middle of
 * a part. What does not fill the part is kept as an object of its own, so that it is fetched once,
 * and so that a deletion of the VOD loses none of it. The next run begins its part with these bytes.
 */

/** Keeps the bytes; an earlier state of the same part is removed. @throws {LeaseLost} {TryLater} */
export async function keepUnsealedPart(
  { context, lease }: ArchiveRun,
  parts: readonly ConfirmedPart[],
  { bytes, finishedUnits }: UnsealedPart,
): Promise<void> {
  const { platform } = context;
  const record = await storePiece(platform, lease, sizeOfParts(parts), bytes, finishedUnits);
  await batchUnderLease(platform.database, lease, record);
}

/**
 * What the last run kept, at the beginning of `buffer`, or null. If the store has lost it, it is
 * fetched again from the source.
 */
export async function readUnsealedPart(
  { context, lease }: ArchiveRun,
  parts: readonly ConfirmedPart[],
  takeBuffer: () => Uint8Array,
): Promise<(UnsealedPart & { readonly buffer: Uint8Array }) | null> {
  const { platform, log } = context;
  const startOffset = sizeOfParts(parts);
  const [piece] = await readPieces(platform.database, lease.uploadId, startOffset);
  if (piece === undefined || piece.start_offset !== startOffset || piece.finished_units === null)
    return null;
  const buffer = takeBuffer();
  const bytes = buffer.subarray(0, piece.size_bytes);
  try {
    await copyPieces(platform, [piece], bytes);
    return { buffer, bytes, finishedUnits: piece.finished_units };
  } catch (error) {
    if (!(error instanceof StartOver)) throw error;
    log.warn("Bytes of an unfinished part are fetched again", { uploadId: lease.uploadId, error });
    const endOffset = startOffset + piece.size_bytes;
    const drop = dropPieces(lease, { startOffset, endOffset }, platform.clock.now());
    await batchUnderLease(platform.database, lease, drop);
    return null;
  }
}

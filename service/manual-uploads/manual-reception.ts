import { recordCheckpoint, type ConfirmedPart } from "#service/storage/checkpoint.ts";
import { openMultipart, type StoreRun } from "#service/storage/multipart.ts";
import { createPartWriter } from "#service/storage/part-writer.ts";
import { batchUnderLease, type UploadLease } from "#service/storage/lease.ts";
import type { Statement } from "#service/ports/database.ts";
import type { BodyMemory } from "./body-memory.ts";
import { manualObjectKey } from "#service/storage/object-keys.ts";
import {
  copyPieces,
  dropPieces,
  readPieces,
  storePiece,
  type Piece,
} from "#service/storage/incomplete-part.ts";
import type { Progress } from "#service/storage/lease-run.ts";
import { noteReceived } from "./manual-progress.ts";
import type { ManualRow } from "./manual-row.ts";
import { UNKNOWN_TYPE } from "./media-type.ts";
import { receiveBody, type Appended, type Filling } from "./receive-body.ts";

/** Pieces are joined at this number, for clients that send a byte at a time. */
const MAX_PIECES = 16;

/** One part is being stored while the next one is filled. */
const PARTS_IN_FLIGHT = 2;

/** A part being filled. Its buffer has room for earlier pieces, then this request's bytes. */
type FillingPart = Filling & {
  readonly startOffset: number;
  readonly endOffset: number;
  /** Earlier bytes of this part. */
  readonly pieces: readonly Piece[];
  /** Bytes reserved for the pieces; 0 if they are not needed. */
  readonly roomBytes: number;
};

/**
 * Receives the body of one request. Whole parts are stored and recorded while the body is being
 * read. The remaining bytes are stored as a piece, even if the connection breaks. The offset
 * reported to the client counts only bytes that survive a crash.
 *
 * @throws {ApiError} as {@link receiveBody}
 * @throws {LeaseLost} {StartOver} {TryLater} {ArchiveFailed} as the archive engine does
 */
export async function receiveBytes(
  run: Omit<StoreRun, "signal"> & { readonly lease: UploadLease; readonly progress: Progress },
  memory: BodyMemory,
  upload: ManualRow,
  bytes: Appended,
): Promise<void> {
  const { lease } = run;
  const { signal } = bytes;
  const { platform } = run.context;
  const { database, clock } = platform;
  const { length, part_size_bytes: partSizeBytes } = upload;
  const { handle } = await openMultipart({ ...run, signal }, upload, {
    key: manualObjectKey({ ownerId: upload.owner_id, uploadId: upload.id }, upload.filename),
    filename: upload.filename,
    contentType: UNKNOWN_TYPE,
    partSizeBytes,
  });
  let safeOffset = bytes.offset;

  await receiveBody<FillingPart>(platform, memory, bytes, ({ buffers, record }) => {
    const writer = createPartWriter(
      {
        ...platform,
        pool: buffers,
        handle,
        mostInFlight: () => PARTS_IN_FLIGHT,
        async record(part) {
          const endOffset = (part.partNumber - 1) * partSizeBytes + part.sizeBytes;
          await record(recordPart(lease, part, endOffset, clock.now()));
          if (bytes.checksum === null) safeOffset = endOffset;
        },
      },
      // A request that ends early still stores the bytes that it has received.
      new AbortController().signal,
    );

    return {
      endOffset: length,
      tooLarge: "This is longer than the declared length.",
      async begin(offset, bodyEnd) {
        const startOffset = offset - (offset % partSizeBytes);
        const endOffset = Math.min(startOffset + partSizeBytes, length);
        const pieces =
          offset === startOffset ? [] : await readPieces(database, upload.id, startOffset);
        const needsPieces = bodyEnd >= endOffset || pieces.length >= MAX_PIECES;
        const roomBytes = needsPieces ? offset - startOffset : 0;
        const sizeBytes = roomBytes + Math.min(endOffset, bodyEnd) - offset;
        const buffer = await buffers.take(sizeBytes, signal);
        if (buffer === null) return null;
        return { startOffset, endOffset, pieces, buffer, roomBytes, filledBytes: roomBytes };
      },
      async store({ startOffset, endOffset, pieces, buffer, roomBytes, filledBytes }, atOffset) {
        if (atOffset === endOffset) {
          await copyPieces(platform, pieces, buffer);
          const partNumber = startOffset / partSizeBytes + 1;
          const end = { unit: partNumber, offset: 0 };
          const cut = { bytes: buffer, buffer, end, endUnitSizeBytes: null, finishedUnits: [] };
          await writer.submit({ partNumber, ...cut });
          return;
        }
        await writer.settle();
        const isJoined = pieces.length >= MAX_PIECES;
        if (isJoined) await copyPieces(platform, pieces, buffer);
        const piece = buffer.subarray(isJoined ? 0 : roomBytes, filledBytes);
        await record(await storePiece(platform, lease, atOffset - piece.byteLength, piece));
      },
      settle: () => writer.settle(),
      async write(batch) {
        await batchUnderLease(database, lease, batch);
      },
      onBytes: (count) => noteReceived(run.progress, upload, safeOffset, count),
    };
  });
}

/** Records a part and drops the pieces within it. */
function recordPart(
  lease: UploadLease,
  part: ConfirmedPart,
  endOffset: number,
  nowMs: number,
): readonly Statement[] {
  const bytes = { startOffset: endOffset - part.sizeBytes, endOffset };
  return [...recordCheckpoint(lease, [part], endOffset, nowMs), ...dropPieces(lease, bytes, nowMs)];
}

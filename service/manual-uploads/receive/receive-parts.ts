import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { ApiError } from "#service/api-error.ts";
import type { Statement } from "#service/ports/database.ts";
import { toHex } from "#service/secrets/hex.ts";
import { recordCheckpoint, type ConfirmedPart } from "#service/storage/checkpoint.ts";
import {
  copyPieces,
  dropPieces,
  readPieces,
  storePiece,
  type Piece,
} from "#service/storage/incomplete-part.ts";
import { batchUnderLease, type UploadLease } from "#service/storage/lease.ts";
import type { Progress } from "#service/storage/lease-run.ts";
import { openMultipart } from "#service/storage/multipart.ts";
import { manualObjectKey } from "#service/storage/object-keys.ts";
import { createPartWriter } from "#service/storage/part-writer.ts";
import type { LeasedUpload } from "../lease.ts";
import type { ManualUploads } from "../manual-uploads.ts";
import { UNKNOWN_TYPE } from "../media-type.ts";
import { noteRecorded } from "../progress.ts";
import type { Checksum } from "../tus/headers.ts";
import { readBody } from "./read-body.ts";

/** Pieces are joined at this number, for clients that send a byte at a time. */
const MAX_PIECES = 16;

/** One part is being stored while the next one is filled. */
const PARTS_IN_FLIGHT = 2;

/** The body of one request. */
export type RequestBody = {
  readonly senderId: string;
  /** Of its first byte. */
  readonly offset: number;
  /** Content-Length; null if the request has none. */
  readonly sizeBytes: number | null;
  readonly stream: ReadableStream<Uint8Array>;
  readonly checksum: Checksum | null;
  /** Aborts when the request has to end; the bytes received so far are kept. */
  readonly signal: AbortSignal;
};

/** A part being filled. Its buffer has room for earlier pieces, then this request's bytes. */
type FillingPart = {
  readonly startOffset: number;
  readonly endOffset: number;
  /** Earlier bytes of this part. */
  readonly pieces: readonly Piece[];
  readonly buffer: Uint8Array;
  /** Bytes reserved for the pieces; 0 if they are not needed. */
  readonly roomBytes: number;
  filledBytes: number;
};

/**
 * Receives the body of one request. Whole parts are stored and recorded while the body is being
 * read. The remaining bytes are stored as a piece, even if the connection breaks. The offset
 * reported to the client counts only bytes that survive a crash. Bytes with a checksum are recorded
 * together after it was verified, or not at all.
 *
 * The body may be read only in part: see {@link readBody}.
 *
 * @throws {ApiError} 460 for a wrong checksum or a body that broke off; 413 and 400 for more bytes than were declared
 * @throws {LeaseLost} {StartOver} {TryLater} {ArchiveFailed} as the archive engine does
 */
export async function receiveParts(
  manual: ManualUploads,
  { lease, upload }: LeasedUpload,
  progress: Progress,
  body: RequestBody,
): Promise<void> {
  const { platform, memory } = manual;
  const { database, clock } = platform;
  const { length, part_size_bytes: partSizeBytes } = upload;
  const { checksum, signal } = body;
  const { handle } = await openMultipart({ context: manual, lease, progress, signal }, upload, {
    key: manualObjectKey({ ownerId: upload.owner_id, uploadId: upload.id }, upload.filename),
    filename: upload.filename,
    contentType: UNKNOWN_TYPE,
    partSizeBytes,
  });
  const buffers = memory.open(body.senderId);
  const hash = checksum === null ? null : { sha1, sha256 }[checksum.algorithm].create();
  const bodyEnd = body.sizeBytes === null ? length : body.offset + body.sizeBytes;
  /** Records of bytes whose checksum is not verified yet. */
  const unverified: Statement[] = [];
  /** Where the bytes received so far end. */
  let offset = body.offset;
  let filling: FillingPart | null = null;

  const writer = createPartWriter(
    {
      ...platform,
      pool: buffers,
      handle,
      mostInFlight: () => PARTS_IN_FLIGHT,
      async record(part) {
        const endOffset = (part.partNumber - 1) * partSizeBytes + part.sizeBytes;
        await record(recordPart(lease, part, endOffset, clock.now()), endOffset);
      },
    },
    // A request that ends early still stores the bytes that it has received.
    new AbortController().signal,
  );

  async function record(statements: readonly Statement[], endOffset: number): Promise<void> {
    if (hash === null) await write(statements, endOffset);
    else unverified.push(...statements);
  }

  async function write(statements: readonly Statement[], endOffset: number): Promise<void> {
    await batchUnderLease(database, lease, statements);
    noteRecorded(progress, upload, endOffset);
  }

  /** Resolves with whether there was memory for the chunk. */
  async function accept(chunk: Uint8Array): Promise<boolean> {
    const endOffset = offset + chunk.byteLength;
    if (endOffset > length) throw tooLarge();
    if (endOffset > bodyEnd)
      throw new ApiError("invalid_request", "The body is longer than its Content-Length.");
    hash?.update(chunk);
    for (let rest = chunk; rest.byteLength > 0;) {
      filling ??= await beginPart();
      if (filling === null) return false;
      const { buffer, filledBytes } = filling;
      const count = Math.min(buffer.byteLength - filledBytes, rest.byteLength);
      buffer.set(rest.subarray(0, count), filledBytes);
      filling.filledBytes += count;
      offset += count;
      rest = rest.subarray(count);
      // The last buffer waits for the checksum.
      if (filling.filledBytes === buffer.byteLength && offset < bodyEnd) await storeFilling();
    }
    progress.bytesArrived(chunk.byteLength);
    progress.unitDone();
    return true;
  }

  /** Takes a buffer for the next bytes; null if there is no memory. */
  async function beginPart(): Promise<FillingPart | null> {
    const startOffset = offset - (offset % partSizeBytes);
    const endOffset = Math.min(startOffset + partSizeBytes, length);
    const pieces = offset === startOffset ? [] : await readPieces(database, upload.id, startOffset);
    const needsPieces = bodyEnd >= endOffset || pieces.length >= MAX_PIECES;
    const roomBytes = needsPieces ? offset - startOffset : 0;
    const sizeBytes = roomBytes + Math.min(endOffset, bodyEnd) - offset;
    const buffer = await buffers.take(sizeBytes, signal);
    if (buffer === null) return null;
    return { startOffset, endOffset, pieces, buffer, roomBytes, filledBytes: roomBytes };
  }

  /** Stores the bytes received last, as a part if they complete it. */
  async function storeFilling(): Promise<void> {
    if (filling === null) return;
    const { startOffset, endOffset, pieces, buffer, roomBytes, filledBytes } = filling;
    filling = null;
    if (offset === endOffset) {
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
    await record(await storePiece(platform, lease, offset - piece.byteLength, piece), offset);
  }

  try {
    const { stream } = body;
    const end = await readBody(platform, { stream, memory, buffers, signal, accept });
    if (hash !== null) {
      if (end === "no memory") throw tooManyBodies();
      // Whoever stopped this request knows why, such as a newer one of the same upload.
      if (end === "cut") signal.throwIfAborted();
      if (end === "cut" || toHex(hash.digest()) !== checksum?.digest) throw wrongChecksum();
    }
    await storeFilling();
    await writer.settle();
    if (unverified.length > 0) await write(unverified, offset);
  } finally {
    // Wait until nothing of this request is in flight.
    await writer.settle().catch(() => undefined);
    buffers.close();
  }
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

export function tooLarge(): ApiError {
  return new ApiError("too_large", "This is longer than the declared length.");
}

/** "the Server MUST respond with the 460 Checksum Mismatch status code … offset MUST NOT be updated". */
function wrongChecksum(): ApiError {
  return new ApiError("conflict", "The bytes do not match their checksum; nothing was stored.", {
    status: 460,
  });
}

function tooManyBodies(): ApiError {
  return new ApiError("unavailable", "Too many files are being uploaded. Please try again soon.", {
    retryAfterSec: 5,
  });
}

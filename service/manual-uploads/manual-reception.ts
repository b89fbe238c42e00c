import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { recordCheckpoint, type ConfirmedPart } from "#service/storage/checkpoint.ts";
import { openMultipart, type StoreRun } from "#service/storage/multipart.ts";
import { createPartWriter } from "#service/storage/part-writer.ts";
import { batchUnderLease, type UploadLease } from "#service/storage/lease.ts";
import { ApiError } from "#service/api-error.ts";
import type { Statement } from "#service/ports/database.ts";
import { toHex } from "#service/secrets/hex.ts";
import type { BodyMemory } from "./body-memory.ts";
import { manualObjectKey } from "#service/storage/object-keys.ts";
import {
  copyPieces,
  dropPieces,
  readPieces,
  storePiece,
  type Piece,
} from "#service/storage/incomplete-part.ts";
import type { ManualRow } from "./manual-row.ts";
import { UNKNOWN_TYPE } from "./media-type.ts";
import { readBody } from "./paced-body.ts";
import type { Checksum } from "./tus-headers.ts";

/** The bytes of one request. */
export type Appended = {
  readonly offset: number;
  readonly body: ReadableStream<Uint8Array>;
  /** Content-Length; null if the request has none. */
  readonly bodyBytes: number | null;
  readonly checksum: Checksum | null;
};

export type Reception = Appended & {
  readonly upload: ManualRow;
  /** Aborts when the request has to end; the bytes received so far are kept. */
  readonly signal: AbortSignal;
  readonly onBytes: (safeOffset: number, receivedBytes: number) => void;
};

/** Pieces are joined at this number, for clients that send a byte at a time. */
const MAX_PIECES = 16;

/** One part is being stored while the next one is filled. */
const PARTS_IN_FLIGHT = 2;

/** A part being filled. Its buffer has room for earlier pieces, then this request's bytes. */
type Filling = {
  readonly startOffset: number;
  readonly endOffset: number;
  /** Earlier bytes of this part. */
  readonly pieces: readonly Piece[];
  readonly buffer: Uint8Array;
  /** Bytes reserved for the pieces; 0 if they are not needed. */
  readonly roomBytes: number;
  /** Includes `roomBytes`. */
  filledBytes: number;
};

/**
 * Receives the body of one request. Whole parts are stored and recorded while the body is being
 * read. The remaining bytes are stored as a piece, even if the connection breaks. The offset
 * reported to the client counts only bytes that survive a crash.
 *
 * The body may be read only in part: see {@link readBody}. Bytes with a checksum are recorded
 * together after it was verified, or not at all.
 *
 * @throws {ApiError} 460 for a wrong checksum, 413 for more bytes than declared
 * @throws {LeaseLost} {StartOver} {TryLater} {ArchiveFailed} as the archive engine does
 */
export async function receiveBytes(
  run: Omit<StoreRun, "signal"> & { readonly lease: UploadLease },
  memory: BodyMemory,
  { upload, body, bodyBytes, checksum, signal, onBytes }: Reception,
): Promise<void> {
  const { lease } = run;
  const { platform } = run.context;
  const { database, clock } = platform;
  const { length, part_size_bytes: partSizeBytes } = upload;
  const { handle } = await openMultipart({ ...run, signal }, upload, {
    key: manualObjectKey({ ownerId: upload.owner_id, uploadId: upload.id }, upload.filename),
    filename: upload.filename,
    contentType: UNKNOWN_TYPE,
    partSizeBytes,
  });
  const buffers = memory.open();
  const hash = checksum === null ? null : { sha1, sha256 }[checksum.algorithm].create();
  const staged: Statement[] = [];
  const at: { offset: number; safeOffset: number; filling: Filling | null } = {
    offset: upload.offset,
    safeOffset: upload.offset,
    filling: null,
  };

  const writer = createPartWriter(
    {
      ...platform,
      pool: buffers,
      handle,
      mostInFlight: () => PARTS_IN_FLIGHT,
      async record(part) {
        const endOffset = (part.partNumber - 1) * partSizeBytes + part.sizeBytes;
        const [first, ...others] = recordPart(lease, part, endOffset, clock.now());
        if (checksum !== null) {
          staged.push(first, ...others);
          return;
        }
        await batchUnderLease(database, [first, ...others]);
        at.safeOffset = endOffset;
      },
    },
    // A request that ends early still stores the bytes that it has received.
    new AbortController().signal,
  );

  /** Takes a buffer for the rest of the part or of the body; null if there is no memory. */
  async function begin(): Promise<Filling | null> {
    const startOffset = at.offset - (at.offset % partSizeBytes);
    const endOffset = Math.min(startOffset + partSizeBytes, length);
    const bodyEnd = bodyBytes === null ? endOffset : upload.offset + bodyBytes;
    const pieces =
      at.offset === startOffset ? [] : await readPieces(database, upload.id, startOffset);
    const needsPieces = bodyEnd >= endOffset || pieces.length >= MAX_PIECES;
    const roomBytes = needsPieces ? at.offset - startOffset : 0;
    const sizeBytes = roomBytes + Math.min(endOffset, bodyEnd) - at.offset;
    const buffer = await buffers.take(sizeBytes, signal);
    if (buffer === null) return null;
    return { startOffset, endOffset, pieces, buffer, roomBytes, filledBytes: roomBytes };
  }

  async function submit({ startOffset, pieces, buffer }: Filling): Promise<void> {
    await copyPieces(platform, pieces, buffer);
    const partNumber = startOffset / partSizeBytes + 1;
    await writer.submit({
      partNumber,
      bytes: buffer,
      buffer,
      end: { unit: partNumber, offset: 0 },
      endUnitSizeBytes: null,
      finishedUnits: [],
    });
  }

  async function take(chunk: Uint8Array): Promise<boolean> {
    if (at.offset + chunk.byteLength > length)
      throw new ApiError("too_large", "This is longer than the declared length.");
    hash?.update(chunk);
    for (let rest = chunk; rest.byteLength > 0;) {
      at.filling ??= await begin();
      if (at.filling === null) return false;
      const { buffer, filledBytes, endOffset } = at.filling;
      const count = Math.min(buffer.byteLength - filledBytes, rest.byteLength);
      if (count === 0)
        throw new ApiError("invalid_request", "The body is longer than its Content-Length.");
      buffer.set(rest.subarray(0, count), filledBytes);
      at.filling.filledBytes += count;
      at.offset += count;
      rest = rest.subarray(count);
      if (at.offset < endOffset) continue;
      const full = at.filling;
      at.filling = null;
      await submit(full);
    }
    onBytes(at.safeOffset, at.offset - upload.offset);
    return true;
  }

  async function storeRest(filling: Filling): Promise<void> {
    const isJoined = filling.pieces.length >= MAX_PIECES;
    if (isJoined) await copyPieces(platform, filling.pieces, filling.buffer);
    const bytes = filling.buffer.subarray(isJoined ? 0 : filling.roomBytes, filling.filledBytes);
    const startOffset = at.offset - bytes.byteLength;
    staged.push(...(await storePiece(platform, lease, startOffset, bytes)));
  }

  try {
    const end = await readBody(platform, { body, memory, buffers, signal, take });
    await writer.settle();
    if (checksum !== null) {
      if (end === "no memory") throw tooManyBodies();
      if (end === "cut" || hash === null || toHex(hash.digest()) !== checksum.digest)
        throw wrongChecksum();
    }
    if (at.filling !== null) await storeRest(at.filling);
    const [first, ...others] = staged;
    if (first !== undefined) await batchUnderLease(database, [first, ...others]);
  } finally {
    // Wait until no part of this request is in flight.
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
): readonly [Statement, ...Statement[]] {
  const [first, ...others] = recordCheckpoint(lease, [part], endOffset, nowMs);
  const bytes = { startOffset: endOffset - part.sizeBytes, endOffset };
  return [first, ...others, ...dropPieces(lease, bytes, nowMs)];
}

/** "the Server MUST respond with the 460 Checksum Mismatch status code … offset MUST NOT be updated". */
export function wrongChecksum(): ApiError {
  return new ApiError("conflict", "The bytes do not match their checksum; nothing was stored.", {
    status: 460,
  });
}

export function tooManyBodies(): ApiError {
  return new ApiError("unavailable", "Too many files are being uploaded. Please try again soon.", {
    retryAfterSec: 5,
  });
}

import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { recordCheckpoint, type ConfirmedPart } from "#service/archiver/checkpoint.ts";
import { createPartWriter, withStoreRetries } from "#service/archiver/part-writer.ts";
import {
  batchUnderLease,
  holds,
  isHeld,
  type UploadLease,
} from "#service/archiver/upload-lease.ts";
import { LeaseLost } from "#service/archiver/run-end.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { Failure } from "#service/failure.ts";
import type { Statement } from "#service/ports/database.ts";
import type { MultipartHandle } from "#service/ports/object-store.ts";
import type { Platform } from "#service/platform.ts";
import type { BodyMemory } from "./body-memory.ts";
import { manualObjectKey } from "./manual-keys.ts";
import { copyPieces, dropPieces, readPieces, storePiece, type Piece } from "./manual-pieces.ts";
import type { ManualRow } from "./manual-row.ts";
import { UNKNOWN_TYPE } from "./media-type.ts";
import { readBody } from "./paced-body.ts";
import { hex, type Checksum } from "./tus-headers.ts";

export type Reception = {
  readonly upload: ManualRow;
  readonly lease: UploadLease;
  readonly body: ReadableStream<Uint8Array>;
  /** Content-Length; null if the request has none. */
  readonly bodyBytes: number | null;
  readonly checksum: Checksum | null;
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
 * @throws {Failure} 460 for a wrong checksum, 413 for more bytes than declared
 * @throws {LeaseLost} {StartOver} {TryLater} {ArchiveFailed} as the archive engine does
 */
export async function receiveBytes(
  { platform }: ServiceContext,
  memory: BodyMemory,
  { upload, lease, body, bodyBytes, checksum, signal, onBytes }: Reception,
): Promise<void> {
  const { database, clock } = platform;
  const { length, part_size_bytes: partSizeBytes } = upload;
  const handle = await openManualMultipart(platform, upload, lease, signal);
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
      mostInFlight: PARTS_IN_FLIGHT,
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
      throw new Failure("too_large", "This is more than the declared length.");
    hash?.update(chunk);
    for (let rest = chunk; rest.byteLength > 0;) {
      at.filling ??= await begin();
      if (at.filling === null) return false;
      const { buffer, filledBytes, endOffset } = at.filling;
      const count = Math.min(buffer.byteLength - filledBytes, rest.byteLength);
      if (count === 0) throw new Failure("invalid_request", "This is more than Content-Length.");
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
    staged.push(...(await storePiece(platform, upload, lease, startOffset, bytes)));
  }

  try {
    const end = await readBody(platform, { body, memory, buffers, signal, take });
    await writer.settle();
    if (checksum !== null) {
      if (end === "no memory") throw tooManyBodies();
      if (end === "cut" || hash === null || hex(hash.digest()) !== checksum.digest)
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

/** Returns the recorded multipart upload or a new one, of unknown type until it is sniffed. */
async function openManualMultipart(
  platform: Platform,
  upload: ManualRow,
  lease: UploadLease,
  signal: AbortSignal,
): Promise<MultipartHandle> {
  const key = manualObjectKey({ ownerId: upload.owner_id, uploadId: upload.id }, upload.filename);
  if (upload.multipart_id !== null) return { key, multipartId: upload.multipart_id };
  const handle = await withStoreRetries(platform, signal, () =>
    platform.objects.createMultipart(key, {
      contentType: UNKNOWN_TYPE,
      metadata: { uploadId: upload.id, ownerId: upload.owner_id },
    }),
  );
  const nowMs = platform.clock.now();
  try {
    await batchUnderLease(platform.database, [
      sql`UPDATE uploads SET multipart_id = ${handle.multipartId}, object_key = ${key},
          part_size_bytes = ${upload.part_size_bytes},
          segments_total = ${Math.ceil(upload.length / upload.part_size_bytes)}
        WHERE ${holds(lease)}`,
      sql`INSERT INTO files (object_key, upload_id, user_id, filename, size_bytes, upload_type,
          status, content_type, last_modified_at)
        SELECT ${key}, ${upload.id}, ${upload.owner_id}, ${upload.filename}, 0, 'chunk', 'partial',
          ${UNKNOWN_TYPE}, ${nowMs}
        WHERE ${isHeld(lease)}
        ON CONFLICT (object_key) DO NOTHING`,
    ]);
  } catch (error) {
    if (error instanceof LeaseLost) await platform.objects.abortMultipart(handle);
    throw error;
  }
  return handle;
}

/** "the Server MUST respond with the 460 Checksum Mismatch status code … offset MUST NOT be updated". */
export function wrongChecksum(): Failure {
  return new Failure("conflict", "The bytes do not match their checksum; nothing was stored.", {
    status: 460,
  });
}

export function tooManyBodies(): Failure {
  return new Failure("unavailable", "Too many files are being uploaded. Please try again soon.", {
    retryAfterSec: 5,
  });
}

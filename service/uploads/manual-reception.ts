import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { MAX_PATCH_BYTES } from "#contract/manual-uploads.ts";
import type { ConfirmedPart } from "#service/archiver/checkpoint.ts";
import {
  createPartWriter,
  partsInFlight,
  withStoreRetries,
} from "#service/archiver/part-writer.ts";
import { planRemoval } from "#service/archiver/store-removals.ts";
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
import { dropTail, planTail, recordParts, recordTail } from "./manual-checkpoint.ts";
import { manualObjectKey, manualTailKey } from "./manual-keys.ts";
import { readTail, type ManualRow, type TailPiece } from "./manual-row.ts";
import { UNKNOWN_TYPE } from "./media-type.ts";
import { createPartCollector } from "./part-collector.ts";
import { hex, type Checksum } from "./tus-headers.ts";

/**
 * Takes one request's bytes. Whole parts go to the multipart upload and on record while the body
 * still comes; what is left at its end, also at a sudden one, is kept as a piece of its own: the
 * offset that the client hears counts only bytes that survive a crash.
 *
 * Bytes that come with a checksum go on record together once it has proved right, or not at all.
 */

export type Reception = {
  readonly upload: ManualRow;
  readonly lease: UploadLease;
  readonly body: ReadableStream<Uint8Array>;
  /** Null when the request does not say. */
  readonly bodyBytes: number | null;
  readonly checksum: Checksum | null;
  /** Aborts when the request has to end now; what came so far is kept. */
  readonly signal: AbortSignal;
  readonly onBytes: (safeOffset: number, receivedBytes: number) => void;
};

/** A client that sends a byte at a time must not make the next reader fetch a million pieces. */
const MAX_PIECES = 16;

/**
 * Answers the new offset.
 * @throws {Failure} 460 for a wrong checksum, 413 for more bytes than declared or allowed
 * @throws {LeaseLost} {StartOver} {TryLater} {ArchiveFailed} as the archive engine does
 */
export async function receiveBytes(context: ServiceContext, reception: Reception): Promise<number> {
  const { platform } = context;
  const { upload, lease, checksum } = reception;
  const { length, part_size_bytes: partSizeBytes } = upload;
  const startOffset = upload.offset;
  const handle = await openManualMultipart(platform, upload, lease, reception.signal);
  const tail = await readTail(platform.database, upload.id);
  const tailBytes = tail.reduce((sum, piece) => sum + piece.size_bytes, 0);
  const staged: ConfirmedPart[] = [];
  let safeOffset = startOffset;
  let receivedBytes = 0;

  const writer = createPartWriter(
    {
      objects: platform.objects,
      digests: platform.digests,
      clock: platform.clock,
      random: platform.random,
      pool: { take: (sizeBytes) => new Uint8Array(sizeBytes), give: () => undefined },
      handle,
      mostInFlight: partsInFlight(partSizeBytes, platform.runtime.copyBufferBytes),
      async record(part) {
        if (checksum !== null) {
          staged.push(part);
          return;
        }
        await syncParts(platform, handle, [part]);
        const bytesBefore = (part.partNumber - 1) * partSizeBytes;
        const [first, ...rest] = recordParts(lease, [part], bytesBefore, platform.clock.now());
        if (first !== undefined) await batchUnderLease(platform.database, [first, ...rest]);
        safeOffset = bytesBefore + part.sizeBytes;
        reception.onBytes(safeOffset, receivedBytes);
      },
    },
    // A request that ends early still stores what it took.
    new AbortController().signal,
  );
  const collector = createPartCollector({
    partSizeBytes,
    length,
    firstPartNumber: Math.floor((startOffset - tailBytes) / partSizeBytes) + 1,
    bytesBefore: tailBytes,
    mostBytes: Math.min(reception.bodyBytes ?? MAX_PATCH_BYTES, length - startOffset),
    async emit(partNumber, fresh, bytesBefore) {
      const bytes = bytesBefore === 0 ? fresh : await withTail(platform, tail, fresh);
      await writer.submit({
        partNumber,
        bytes,
        buffer: bytes,
        end: { unit: partNumber, offset: 0 },
        endUnitSizeBytes: null,
        finishedUnits: [],
      });
    },
  });

  const hash = checksum === null ? null : { sha1, sha256 }[checksum.algorithm].create();
  const isWhole = await readBody(reception, async (chunk) => {
    receivedBytes += chunk.byteLength;
    if (startOffset + receivedBytes > length)
      throw new Failure("too_large", "This is more than the declared length.");
    if (receivedBytes > MAX_PATCH_BYTES) throw bodyTooLarge();
    hash?.update(chunk);
    await collector.add(chunk);
    reception.onBytes(safeOffset, receivedBytes);
  });
  await writer.settle();
  if (checksum !== null && (!isWhole || hex((hash ?? sha1.create()).digest()) !== checksum.digest))
    throw wrongChecksum();

  if (staged.length > 0) await syncParts(platform, handle, staged);
  const rest = collector.rest;
  const statements: Statement[] =
    staged.length === 0
      ? []
      : [...recordParts(lease, staged, startOffset - tailBytes, platform.clock.now())];
  const offset = startOffset + receivedBytes;
  if (rest.byteLength > 0) {
    const piecesBefore = offset - rest.byteLength > startOffset ? [] : tail;
    statements.push(...(await storeTail(context, reception, piecesBefore, rest, offset)));
  }
  const [first, ...others] = statements;
  if (first !== undefined) await batchUnderLease(platform.database, [first, ...others]);
  return offset;
}

/** The client may forget what is acknowledged, so it lasts before it goes on record. */
async function syncParts(
  platform: Platform,
  handle: MultipartHandle,
  parts: readonly ConfirmedPart[],
): Promise<void> {
  await withStoreRetries(platform, new AbortController().signal, async () =>
    platform.objects.syncParts?.(handle, parts),
  );
}

/** Answers whether the body came to its own end. Bytes that came before another end count. */
async function readBody(
  { body, signal }: Reception,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<boolean> {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const read = await reader.read().catch(() => null);
      if (read === null) return false;
      if (read.done) return !signal.aborted;
      await take(read.value);
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The multipart upload on record, or a fresh one. It says nothing of the type: that is judged last. */
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

/** Stores what is left and answers what puts it on record. */
async function storeTail(
  context: ServiceContext,
  { upload, lease, signal }: Reception,
  before: readonly TailPiece[],
  rest: Uint8Array,
  offset: number,
): Promise<readonly Statement[]> {
  const { platform } = context;
  const joins = before.length >= MAX_PIECES;
  const bytes = joins ? await withTail(platform, before, rest) : rest;
  const startOffset = offset - bytes.byteLength;
  const identity = { ownerId: upload.owner_id, uploadId: upload.id };
  const key = manualTailKey(identity, startOffset, lease.epoch);
  const nowMs = platform.clock.now();
  // Written down before the store has it: a process that dies in between leaves nothing behind.
  await platform.database.run(planTail(lease, key, nowMs));
  // Should the upload be gone by the time the store answers, so will this piece.
  const giveUp = planRemoval({ key, multipartId: null }, nowMs, sql`NOT ${isHeld(lease)}`);
  await withStoreRetries(platform, signal.aborted ? new AbortController().signal : signal, () =>
    platform.objects.put(key, bytes, { contentType: UNKNOWN_TYPE }),
  );
  const piece = { start_offset: startOffset, size_bytes: bytes.byteLength, object_key: key };
  await platform.database.run(giveUp);
  return [...(joins ? dropTail(lease, nowMs) : []), ...recordTail(lease, piece, offset)];
}

async function withTail(
  platform: Platform,
  tail: readonly TailPiece[],
  fresh: Uint8Array,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(
    tail.reduce((sum, piece) => sum + piece.size_bytes, 0) + fresh.byteLength,
  );
  let at = 0;
  for (const piece of tail) {
    const found = await withStoreRetries(platform, new AbortController().signal, () =>
      platform.objects.get(piece.object_key),
    );
    const stored = new Uint8Array(await new Response(found?.body ?? null).arrayBuffer());
    if (stored.byteLength !== piece.size_bytes)
      throw new Error(`The store lost ${piece.object_key}, which it had confirmed`);
    bytes.set(stored, at);
    at += stored.byteLength;
  }
  bytes.set(fresh, at);
  return bytes;
}

export function bodyTooLarge(): Failure {
  return new Failure(
    "too_large",
    `One request can carry at most ${MAX_PATCH_BYTES / 1_000_000} MB. Send the file in pieces.`,
  );
}

/** "the Server MUST respond with the 460 Checksum Mismatch status code … offset MUST NOT be updated". */
function wrongChecksum(): Failure {
  return new Failure("conflict", "The bytes do not match their checksum; nothing was stored.", {
    status: 460,
  });
}

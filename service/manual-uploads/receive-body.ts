import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { ApiError } from "#service/api-error.ts";
import type { Platform } from "#service/platform.ts";
import type { Statement } from "#service/ports/database.ts";
import { toHex } from "#service/secrets/hex.ts";
import type { BodyBuffers, BodyMemory } from "./body-memory.ts";
import { readBody } from "./paced-body.ts";
import type { Checksum } from "./tus-headers.ts";

/** The bytes of one request. */
export type Appended = {
  readonly senderId: string;
  readonly offset: number;
  readonly body: ReadableStream<Uint8Array>;
  /** Content-Length; null if the request has none. */
  readonly bodyBytes: number | null;
  readonly checksum: Checksum | null;
  /** Aborts when the request has to end; the bytes received so far are kept. */
  readonly signal: AbortSignal;
};

/** A buffer whose first `filledBytes` are received. */
export type Filling = { readonly buffer: Uint8Array; filledBytes: number };

type Batch = readonly Statement[];

/** Stores the bytes of one request. */
export type BodySink<F extends Filling> = {
  /** The offset at which an upload ends: its length or, if that is unknown, the sender's limit. */
  readonly endOffset: number;
  /** Says that more bytes came. */
  readonly tooLarge: string;
  /** Takes a buffer for the bytes from `offset` to `bodyEnd` at most; null if there is no memory. */
  begin(offset: number, bodyEnd: number): Promise<F | null>;
  /** Stores a full buffer, or the last one. Its bytes end at `endOffset`. */
  store(filling: F, endOffset: number): Promise<void>;
  /** Settles when nothing is being stored any longer; rejects if something could not be. */
  settle(): Promise<void>;
  /** @throws {ApiError} {LeaseLost} when the upload was stopped or taken */
  write(batch: Batch): Promise<void>;
  /** Called with the size of each chunk received. */
  readonly onBytes?: (count: number) => void;
};

export type BodyIntake = {
  readonly buffers: BodyBuffers;
  /** Writes the record of stored bytes at once or, with a checksum, after it was verified. */
  readonly record: (batch: Batch) => Promise<void>;
};

/**
 * Receives the body of one request, buffer by buffer. It may be read only in part: see
 * {@link readBody}. Bytes with a checksum are recorded together after it was verified, or not at
 * all.
 * @throws {ApiError} 460 for a wrong checksum; 413 and 400 for more bytes than were declared
 */
export async function receiveBody<F extends Filling>(
  platform: Platform,
  memory: BodyMemory,
  { senderId, offset, body, bodyBytes, checksum, signal }: Appended,
  openSink: (intake: BodyIntake) => BodySink<F>,
): Promise<void> {
  const buffers = memory.open(senderId);
  const hash = checksum === null ? null : { sha1, sha256 }[checksum.algorithm].create();
  const held: Statement[] = [];
  const sink = openSink({
    buffers,
    async record(batch) {
      if (checksum === null) await sink.write(batch);
      else held.push(...batch);
    },
  });
  const bodyEnd = bodyBytes === null ? sink.endOffset : offset + bodyBytes;
  let atOffset = offset;
  let filling: F | null = null;

  async function storeFilling(): Promise<void> {
    if (filling === null) return;
    const filled = filling;
    filling = null;
    await sink.store(filled, atOffset);
  }

  async function take(chunk: Uint8Array): Promise<boolean> {
    const endOffset = atOffset + chunk.byteLength;
    if (endOffset > sink.endOffset) throw new ApiError("too_large", sink.tooLarge);
    if (endOffset > bodyEnd)
      throw new ApiError("invalid_request", "The body is longer than its Content-Length.");
    hash?.update(chunk);
    for (let rest = chunk; rest.byteLength > 0;) {
      filling ??= await sink.begin(atOffset, bodyEnd);
      if (filling === null) return false;
      const { buffer, filledBytes } = filling;
      const count = Math.min(buffer.byteLength - filledBytes, rest.byteLength);
      buffer.set(rest.subarray(0, count), filledBytes);
      filling.filledBytes += count;
      atOffset += count;
      rest = rest.subarray(count);
      // The last buffer waits for the checksum.
      if (filling.filledBytes === buffer.byteLength && atOffset < bodyEnd) await storeFilling();
    }
    sink.onBytes?.(chunk.byteLength);
    return true;
  }

  try {
    const end = await readBody(platform, { body, memory, buffers, signal, take });
    if (checksum !== null) {
      if (end === "no memory") throw tooManyBodies();
      if (end === "cut" || hash === null || toHex(hash.digest()) !== checksum.digest)
        throw wrongChecksum();
    }
    await storeFilling();
    await sink.settle();
    const [first, ...others] = held;
    if (first !== undefined) await sink.write([first, ...others]);
  } finally {
    // Wait until nothing of this request is in flight.
    await sink.settle().catch(() => undefined);
    buffers.close();
  }
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

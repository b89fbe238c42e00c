import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { isPlanned, planPieceRemoval } from "#service/storage/incomplete-part.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import type { Statement } from "#service/ports/database.ts";
import { toHex } from "#service/secrets/hex.ts";
import type { BodyMemory } from "./body-memory.ts";
import { stagedPieceKey } from "#service/storage/object-keys.ts";
import { EXPIRES_AFTER_MS } from "./manual-lease.ts";
import { tooManyBodies, wrongChecksum } from "./manual-reception.ts";
import { UNKNOWN_TYPE } from "./media-type.ts";
import { readBody } from "./paced-body.ts";
import { SMALL_PIECE_BYTES, type StagedRow } from "./staged-row.ts";
import type { Checksum } from "./tus-headers.ts";
import { withStoreRetries } from "#service/storage/multipart.ts";

/** The smallest part size; a composition reads one piece at a time. */
const PIECE_BYTES = 8 * 1024 * 1024;

/** Enough for broken connections; each piece is an object and a row while it is staged. */
const MOST_SMALL_PIECES = 1_000;

export type StagedReception = {
  readonly staged: StagedRow;
  readonly body: ReadableStream<Uint8Array>;
  /** Content-Length; null if the request has none. */
  readonly bodyBytes: number | null;
  readonly checksum: Checksum | null;
  /** Maximum offset: the upload's length or, if it is unknown, the limit of the sender's quota. */
  readonly mostOffset: number;
  /** Aborts when the request has to end; the bytes received so far are kept. */
  readonly signal: AbortSignal;
};

/**
 * Receives the body of one request for a staged upload. Each piece is a separate object and is only
 * recorded if it starts where the acknowledged bytes end. Of two concurrent requests one is thus
 * refused, without a lease. The body may be read only in part: see {@link readBody}.
 *
 * @throws {ApiError} conflict when another request was faster; 460 for a wrong checksum; 413;
 * invalid_request after too many small requests
 * @throws {TryLater} {ArchiveFailed} as the archive engine does
 */
export async function receiveStaged(
  { platform }: ServiceContext,
  memory: BodyMemory,
  { staged, body, bodyBytes, checksum, mostOffset, signal }: StagedReception,
): Promise<void> {
  const { clock, database, digests, objects, random } = platform;
  const buffers = memory.open();
  const hash = checksum === null ? null : { sha1, sha256 }[checksum.algorithm].create();
  const held: Statement[][] = [];
  const bodyEnd = bodyBytes === null ? mostOffset : staged.offset + bodyBytes;
  let startOffset = staged.offset;
  let buffer: Uint8Array | null = null;
  let filledBytes = 0;

  async function storePiece(): Promise<void> {
    if (buffer === null || filledBytes === 0) return;
    const isLast = startOffset + filledBytes === mostOffset;
    if (filledBytes < SMALL_PIECE_BYTES && !isLast && staged.small_pieces >= MOST_SMALL_PIECES)
      throw new ApiError(
        "invalid_request",
        `This upload came in too many small requests. Send at least ${SMALL_PIECE_BYTES} bytes at a time.`,
      );
    const bytes = buffer.subarray(0, filledBytes);
    const nonce = random.bytes(4).reduce((number, byte) => number * 256 + byte, 0);
    const sha256Hex = await digests.sha256(bytes);
    const key = stagedPieceKey(staged.id, { startOffset, sha256: sha256Hex }, nonce);
    await database.run(planPieceRemoval(key, clock.now()));
    await withStoreRetries(platform, new AbortController().signal, () =>
      objects.put(key, bytes, { contentType: UNKNOWN_TYPE }),
    );
    const statements = [
      sql`INSERT INTO staged_pieces (staged_id, start_offset, size_bytes, object_key)
        SELECT id, ${startOffset}, ${filledBytes}, ${key} FROM staged_uploads
        WHERE id = ${staged.id} AND upload_id IS NULL AND ${isPlanned(key)} AND ${startOffset} =
          (SELECT coalesce(sum(size_bytes), 0) FROM staged_pieces WHERE staged_id = ${staged.id})`,
      sql`UPDATE staged_uploads SET expires_at = ${clock.now() + EXPIRES_AFTER_MS}
        WHERE id = ${staged.id}`,
      sql`DELETE FROM store_removals WHERE object_key = ${key}
        AND EXISTS (SELECT 1 FROM staged_pieces WHERE object_key = ${key})`,
    ];
    buffers.give(buffer);
    buffer = null;
    startOffset += filledBytes;
    filledBytes = 0;
    held.push(statements);
    if (checksum === null) await record();
  }

  async function record(): Promise<void> {
    const statements = held.splice(0).flat();
    if (statements.length === 0) return;
    const [first] = await database.batch(statements);
    if (first?.changes === 0)
      throw new ApiError("conflict", "This upload was stopped, or continues in another request.", {
        status: 423,
      });
  }

  async function take(chunk: Uint8Array): Promise<boolean> {
    if (startOffset + filledBytes + chunk.byteLength > mostOffset)
      throw new ApiError(
        "too_large",
        "This is longer than the declared length, or exceeds your quota.",
      );
    hash?.update(chunk);
    for (let rest = chunk; rest.byteLength > 0;) {
      const leftBytes = bodyEnd - startOffset;
      if (leftBytes - filledBytes <= 0)
        throw new ApiError("invalid_request", "The body is longer than its Content-Length.");
      buffer ??= await buffers.take(Math.min(PIECE_BYTES, leftBytes), signal);
      if (buffer === null) return false;
      const count = Math.min(buffer.byteLength - filledBytes, rest.byteLength);
      buffer.set(rest.subarray(0, count), filledBytes);
      filledBytes += count;
      rest = rest.subarray(count);
      if (filledBytes === buffer.byteLength) await storePiece();
    }
    return true;
  }

  try {
    const end = await readBody(platform, { body, memory, buffers, signal, take });
    if (checksum !== null) {
      if (end === "no memory") throw tooManyBodies();
      if (end === "cut" || hash === null || toHex(hash.digest()) !== checksum.digest)
        throw wrongChecksum();
    }
    await storePiece();
    await record();
  } finally {
    buffers.close();
  }
}

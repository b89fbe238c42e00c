import { isPlanned, putPiece } from "#service/storage/incomplete-part.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import { quotaReached, readQuotaRoom } from "#service/uploads/upload-limits.ts";
import type { BodyMemory } from "./body-memory.ts";
import { incompletePartKey } from "#service/storage/object-keys.ts";
import { EXPIRES_AFTER_MS } from "./manual-lease.ts";
import { receiveBody, type Appended } from "./receive-body.ts";
import { SMALL_PIECE_BYTES, type StagedRow } from "./staged-row.ts";

/** The smallest part size; a composition reads one piece at a time. */
const PIECE_BYTES = 8 * 1024 * 1024;

/** Enough for broken connections; each piece is an object and a row while it is staged. */
const MOST_SMALL_PIECES = 1_000;

/**
 * Receives the body of one request for a staged upload. Each piece is a separate object and is only
 * recorded if it starts where the acknowledged bytes end. Of two concurrent requests one is thus
 * refused, without a lease. `mostOffset` is the upload's length or, if it is unknown, the limit of
 * the sender's quota.
 *
 * @throws {ApiError} as {@link receiveBody}; conflict when another request was faster;
 * invalid_request after too many small requests; too_large when the quota is used up meanwhile
 * @throws {TryLater} {ArchiveFailed} as the archive engine does
 */
export async function receiveStaged(
  context: ServiceContext,
  memory: BodyMemory,
  staged: StagedRow,
  bytes: Appended,
  mostOffset: number,
): Promise<void> {
  const { platform } = context;
  const { clock, database, random } = platform;

  await receiveBody(platform, memory, bytes, ({ buffers, record }) => ({
    endOffset: mostOffset,
    tooLarge: "This is longer than the declared length, or exceeds your quota.",
    async begin(offset, bodyEnd) {
      const sizeBytes = Math.min(PIECE_BYTES, bodyEnd - offset);
      const buffer = await buffers.take(sizeBytes, bytes.signal);
      return buffer === null ? null : { buffer, filledBytes: 0 };
    },
    async store({ buffer, filledBytes }, endOffset) {
      const isSmall = filledBytes < SMALL_PIECE_BYTES && endOffset < mostOffset;
      if (isSmall && staged.small_pieces >= MOST_SMALL_PIECES)
        throw new ApiError(
          "invalid_request",
          `This upload came in too many small requests. Send at least ${SMALL_PIECE_BYTES} bytes at a time.`,
        );
      // A declared length already counts against the quota.
      if (staged.length === null && filledBytes > (await readQuotaRoom(context, staged.owner_id)))
        throw quotaReached(context);
      const startOffset = endOffset - filledBytes;
      const nonce = random.bytes(4).reduce((number, byte) => number * 256 + byte, 0);
      const key = await putPiece(platform, buffer.subarray(0, filledBytes), (sha256) =>
        incompletePartKey(`staged-${staged.id}`, { startOffset, sha256 }, nonce),
      );
      buffers.give(buffer);
      await record([
        sql`INSERT INTO staged_pieces (staged_id, start_offset, size_bytes, object_key)
          SELECT id, ${startOffset}, ${filledBytes}, ${key} FROM staged_uploads
          WHERE id = ${staged.id} AND upload_id IS NULL AND ${isPlanned(key)} AND ${startOffset} =
            (SELECT coalesce(sum(size_bytes), 0) FROM staged_pieces WHERE staged_id = ${staged.id})`,
        sql`UPDATE staged_uploads SET expires_at = ${clock.now() + EXPIRES_AFTER_MS}
          WHERE id = ${staged.id}`,
        sql`DELETE FROM store_removals WHERE object_key = ${key}
          AND EXISTS (SELECT 1 FROM staged_pieces WHERE object_key = ${key})`,
      ]);
    },
    settle: async () => undefined,
    async write(batch) {
      const [first] = await database.batch(batch);
      if (first?.changes === 0)
        throw new ApiError(
          "conflict",
          "This upload was stopped, or continues in another request.",
          {
            status: 423,
          },
        );
    },
  }));
}

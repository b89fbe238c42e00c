import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { copyPieces, pieceRow, type Piece } from "#service/storage/incomplete-part.ts";
import type { ManualRow } from "./manual-row.ts";
import { StartOver } from "#service/storage/run-outcome.ts";

/**
 * Streams the staged bytes of an upload from its offset on. Each piece is compared with its digest
 * before any of it is emitted. One piece is in memory at a time.
 *
 * If a piece cannot be read, `onLost` is called and the stream errors.
 */
export function readComposed(
  platform: Platform,
  upload: Pick<ManualRow, "id" | "offset" | "length" | "staged_ids">,
  onLost: (reason: unknown) => void,
): ReadableStream<Uint8Array> {
  const pieces = listPieces(platform, upload);
  let skipBytes = upload.offset;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          for (;;) {
            const { value: piece, done } = await pieces.next();
            if (done === true) return controller.close();
            if (piece.size_bytes > skipBytes) {
              const bytes = new Uint8Array(piece.size_bytes);
              await copyPieces(platform, [piece], bytes);
              controller.enqueue(bytes.subarray(skipBytes));
              skipBytes = 0;
              return;
            }
            skipBytes -= piece.size_bytes;
          }
        } catch (error) {
          onLost(error);
          controller.error(error);
        }
      },
    },
    { highWaterMark: 0 },
  );
}

/** @throws {StartOver} after the last piece if some are no longer recorded */
async function* listPieces(
  { database }: Platform,
  { id, length, staged_ids: stagedIds }: Pick<ManualRow, "id" | "length" | "staged_ids">,
): AsyncGenerator<Piece, undefined> {
  let bytes = 0;
  for (const stagedId of stagedIds ?? []) {
    const rows = await database.all(sql`
      SELECT start_offset, size_bytes, object_key FROM staged_pieces
      WHERE staged_id = ${stagedId} ORDER BY start_offset`);
    for (const row of rows) {
      const piece = pieceRow.parse(row);
      bytes += piece.size_bytes;
      yield piece;
    }
  }
  if (bytes !== length) throw new StartOver(`The parts of upload ${id} were removed`);
  return undefined;
}

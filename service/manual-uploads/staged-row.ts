import * as z from "zod/mini";
import { uploadIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { RECEIVED_BYTES } from "#service/uploads/upload-limits.ts";
import type { Database } from "#service/ports/database.ts";

/** A piece below this size is small; tus clients send megabytes at a time. */
export const SMALL_PIECE_BYTES = 256 * 1024;

const stagedRow = z.object({
  id: uploadIdSchema,
  owner_id: z.string(),
  is_partial: z.number(),
  length: z.nullable(z.number()),
  offset: z.number(),
  filename: z.string(),
  upload_metadata: z.nullable(z.string()),
  expires_at: z.number(),
  upload_id: z.nullable(uploadIdSchema),
  small_pieces: z.number(),
});
export type StagedRow = z.infer<typeof stagedRow>;

export async function findStagedUpload(database: Database, id: string): Promise<StagedRow | null> {
  const [row] = await database.all(sql`
    SELECT s.*, ${RECEIVED_BYTES} AS offset, (SELECT count(*) FROM staged_pieces p
      WHERE p.staged_id = s.id AND p.size_bytes < ${SMALL_PIECE_BYTES}) AS small_pieces
    FROM staged_uploads s WHERE s.id = ${id}`);
  return row === undefined ? null : stagedRow.parse(row);
}

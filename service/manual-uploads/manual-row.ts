import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { uploadStatusSchema } from "#contract/upload.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import { historySchema } from "#service/storage/upload-row.ts";
import type { Database } from "#service/ports/database.ts";

/**
 * The number of stored bytes, in confirmed parts and in the pieces after them. Always computed from
 * these rows, so that no second counter can disagree.
 */
export const SAFE_BYTES = sql`
  ((SELECT coalesce(sum(p.size_bytes), 0) FROM upload_parts p WHERE p.upload_id = u.id)
  + (SELECT coalesce(sum(t.size_bytes), 0) FROM incomplete_parts t WHERE t.upload_id = u.id))`;

const manualRow = z.object({
  id: uploadIdSchema,
  kind: z.literal("manual"),
  vod_id: z.nullable(z.string()),
  owner_id: z.string(),
  filename: z.string(),
  status: uploadStatusSchema,
  length: z.number(),
  offset: z.number(),
  part_size_bytes: z.number(),
  multipart_id: z.nullable(z.string()),
  retry_count: z.number(),
  max_retries: z.number(),
  stall_count: z.number(),
  progress_history: jsonText(historySchema),
  created_at: z.number(),
  expires_at: z.number(),
  upload_metadata: z.nullable(z.string()),
  object_key: z.nullable(objectKeySchema),
});
export type ManualRow = z.infer<typeof manualRow>;

export async function findManualUpload(
  database: Database,
  uploadId: string,
): Promise<ManualRow | null> {
  const [row] = await database.all(sql`
    SELECT u.id, u.kind, u.vod_id, u.owner_id, u.filename, u.status, u.source_bytes AS length,
      CASE u.status WHEN 'completed' THEN u.source_bytes ELSE ${SAFE_BYTES} END AS offset,
      m.part_size_bytes, u.multipart_id, u.retry_count, u.max_retries, u.stall_count,
      u.progress_history, u.created_at, m.expires_at,
      m.upload_metadata, u.object_key
    FROM uploads u JOIN manual_uploads m ON m.upload_id = u.id WHERE u.id = ${uploadId}`);
  return row === undefined ? null : manualRow.parse(row);
}

export function gone(): ApiError {
  return new ApiError("not_found", "This upload has ended. Start it again.", { status: 410 });
}

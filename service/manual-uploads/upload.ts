import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { uploadStatusSchema } from "#contract/upload.ts";
import { ApiError } from "#service/api-error.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import { principalOf, type RequestContext } from "#service/http/route.ts";
import type { Database } from "#service/ports/database.ts";
import { historySchema } from "#service/storage/upload-row.ts";

/** A manual upload as its rows were read. */
export const manualUploadSchema = z.object({
  id: uploadIdSchema,
  kind: z.literal("manual"),
  vod_id: z.nullable(z.string()),
  owner_id: z.string(),
  filename: z.string(),
  status: uploadStatusSchema,
  length: z.number(),
  /** The number of stored bytes, in confirmed parts and in the pieces after them. */
  offset: z.number(),
  part_size_bytes: z.number(),
  multipart_id: z.nullable(z.string()),
  retry_count: z.number(),
  max_retries: z.number(),
  stall_count: z.number(),
  lost_starts: z.number(),
  progress_history: jsonText(historySchema),
  created_at: z.number(),
  expires_at: z.number(),
  upload_metadata: z.nullable(z.string()),
  object_key: z.nullable(objectKeySchema),
});
export type ManualUpload = z.infer<typeof manualUploadSchema>;

/** The batches that record parts and pieces also write `stored_bytes`. */
export async function findManualUpload(
  database: Database,
  uploadId: string,
): Promise<ManualUpload | null> {
  // The parts of a failed upload may have been deleted in the File Browser.
  const [row] = await database.all(sql`
    SELECT u.id, u.kind, u.vod_id, u.owner_id, u.filename, u.status, u.source_bytes AS length,
      CASE WHEN u.status = 'failed' AND u.multipart_id IS NULL THEN 0
        ELSE u.stored_bytes END AS offset,
      u.part_size_bytes, u.multipart_id, u.retry_count, u.max_retries, u.stall_count,
      u.lost_starts,
      u.progress_history, u.created_at, u.expires_at, u.upload_metadata, u.object_key
    FROM uploads u WHERE u.id = ${uploadId} AND u.expires_at IS NOT NULL`);
  return row === undefined ? null : manualUploadSchema.parse(row);
}

/**
 * "If the resource is not found, the Server SHOULD return either the 404 Not Found, 410 Gone…"
 * @throws {ApiError} not_found
 */
export async function requireUpload(
  database: Database,
  id: string | undefined,
): Promise<ManualUpload> {
  const known = uploadIdSchema.safeParse(id);
  const upload = known.success ? await findManualUpload(database, known.data) : null;
  if (upload === null) throw new ApiError("not_found", "There is no such upload.");
  return upload;
}

/**
 * Only its creator, who confirmed the rights to the file, may add bytes to an upload.
 * @throws {ApiError} not_found; forbidden
 */
export async function requireOwnUpload(
  database: Database,
  id: string | undefined,
  request: RequestContext,
): Promise<ManualUpload> {
  const upload = await requireUpload(database, id);
  if (upload.owner_id !== principalOf(request).userId)
    throw new ApiError("forbidden", "Only the user who created this upload can continue it.");
  return upload;
}

/** Whether the upload accepts bytes; a failed one is retried by them. */
export function canContinue(upload: ManualUpload, nowMs: number): boolean {
  if (upload.status !== "failed") return upload.status !== "cancelled";
  return upload.retry_count < upload.max_retries && upload.expires_at > nowMs;
}

/** The phase of an upload that is received up to `offset`. */
export function phaseAt({ length }: ManualUpload, offset: number): "copying" | "proving" {
  return offset === length ? "proving" : "copying";
}

export function gone(): ApiError {
  return new ApiError("not_found", "This upload has ended. Start it again.", { status: 410 });
}

/** "If an upload does not finish … the Server MUST include the Upload-Expires header". */
export function expiryHeader({ offset, length, expires_at: expiresAt }: ManualUpload): {
  "upload-expires"?: string;
} {
  return offset === length ? {} : { "upload-expires": new Date(expiresAt).toUTCString() };
}

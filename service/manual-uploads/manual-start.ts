import { choosePartSizeFor } from "#service/storage/multipart.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { Actor } from "#service/http/route.ts";
import { newToken } from "#service/auth/session-tokens.ts";
import type { ServiceContext } from "#service/context.ts";
import { assertBudgetAllows } from "#service/costs/budget-gate.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import { manualObjectKey } from "#service/storage/object-keys.ts";
import { EXPIRES_AFTER_MS } from "./manual-lease.ts";
import { findManualUpload, type ManualRow } from "./manual-row.ts";
import type { UploadMetadata } from "./tus-headers.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { insertWithinLimits, manualUploadLimits } from "#service/uploads/upload-limits.ts";

export type NewManualUpload = {
  readonly length: number;
  readonly metadata: UploadMetadata;
};

/**
 * Records a manual upload of a known length, before its first byte. Its owner is the sender, who
 * confirms the rights to the file.
 *
 * @throws {ApiError} conflict when the budget is spent; rate_limited with too many unfinished
 *   uploads; too_large beyond the sender's quota or the capacity; unavailable when the disk has no
 *   room; unauthenticated when the sender was banned meanwhile
 */
export async function startManualUpload(
  context: ServiceContext,
  { length, metadata }: NewManualUpload,
  by: Actor,
): Promise<ManualRow> {
  const { database, clock, random } = context.platform;
  await assertBudgetAllows(context);
  const id = newToken(random).slice(0, 24);
  const nowMs = clock.now();
  const key = manualObjectKey({ ownerId: by.actorId, uploadId: id }, metadata.filename);
  const partSizeBytes = choosePartSizeFor(length, context.platform.runtime);
  const limits = await manualUploadLimits(context, by.actorId, length);
  await insertWithinLimits(database, by.actorId, limits, [
    ...recordedChange(
      sql`INSERT INTO uploads (id, kind, filename, owner_id, initiated_by, rights, status,
        source_bytes, source_bytes_estimated, object_key, part_size_bytes, max_retries,
        created_at, updated_at)
      VALUES (${id}, 'manual', ${metadata.filename}, ${by.actorId}, ${by.actorId},
        'administrator_confirmed', 'pending', ${length}, 0, ${key}, ${partSizeBytes},
        ${context.settings.MAX_RETRIES}, ${nowMs}, ${nowMs})`,
      nowMs,
      {
        audit: {
          ...by,
          action: "upload.start",
          target: id,
          after: { filename: metadata.filename, sizeBytes: length },
        },
      },
    ),
    sql`INSERT INTO manual_uploads (upload_id, upload_metadata, part_size_bytes, expires_at)
      VALUES (${id}, ${metadata.header}, ${partSizeBytes}, ${nowMs + EXPIRES_AFTER_MS})`,
  ]);
  const upload = await findManualUpload(database, id);
  if (upload === null) throw new ApiError("conflict", "This upload was deleted immediately.");
  await publishUpload(context.platform, id);
  return upload;
}

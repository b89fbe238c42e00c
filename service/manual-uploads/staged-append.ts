import { MAX_MANUAL_UPLOAD_BYTES } from "#contract/manual-uploads.ts";
import { ApiError } from "#service/api-error.ts";
import type { Actor } from "#service/http/route.ts";
import type { ServiceContext } from "#service/context.ts";
import { readQuotaRoom } from "#service/uploads/upload-limits.ts";
import type { BodyMemory } from "./body-memory.ts";
import { startManualUpload } from "./manual-start.ts";
import type { Appended } from "./receive-body.ts";
import { receiveStaged } from "./staged-reception.ts";
import { gone } from "./manual-row.ts";
import { findStagedUpload, type StagedRow } from "./staged-row.ts";
import { declareLength } from "./staged-uploads.ts";

/**
 * Appends a request's bytes to a staged upload and returns its new offset. `length` is the
 * Upload-Length that the request declares. A staged upload with a deferred length becomes an upload
 * of the same id once it has all bytes.
 * @throws {ApiError} conflict when the offset differs; too_large beyond its length or the quota
 */
export async function appendToStaged(
  context: ServiceContext,
  memory: BodyMemory,
  staged: StagedRow,
  bytes: Appended,
  length: number | null,
  by: Actor,
): Promise<number> {
  const { database, queue } = context.platform;
  if (bytes.offset !== staged.offset)
    throw new ApiError("conflict", `The next byte must be at offset ${staged.offset}.`, {
      headers: { "upload-offset": String(staged.offset) },
    });
  if (length !== null) await declareLength(context, staged, length);
  const declared = staged.length ?? length;
  const mostOffset =
    declared ??
    Math.min(
      MAX_MANUAL_UPLOAD_BYTES,
      staged.offset + Math.max(0, await readQuotaRoom(context, staged.owner_id)),
    );
  if (bytes.offset + (bytes.bodyBytes ?? 0) > mostOffset)
    throw new ApiError(
      "too_large",
      "This is longer than the declared length, or exceeds your quota.",
    );
  await receiveStaged(context, memory, { ...staged, length: declared }, bytes, mostOffset);
  const after = await findStagedUpload(database, staged.id);
  if (after === null) throw gone();
  if (after.is_partial === 0 && after.upload_id === null && after.offset === after.length) {
    const metadata = { header: after.upload_metadata, filename: after.filename };
    const source = { ids: [after.id], concat: null, uploadId: after.id };
    await startManualUpload(context, { length: after.length, metadata, staged: source }, by);
    await queue.send({ uploadId: after.id });
  }
  return after.offset;
}

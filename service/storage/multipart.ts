import type { ObjectKey } from "#contract/files.ts";
import type { UploadId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Runtime } from "#service/platform.ts";
import type { MultipartHandle } from "#service/ports/object-store.ts";
import { batchUnderLease, isLeased, leaseGuard, type UploadLease } from "./lease.ts";
import { LeaseLost } from "./run-end.ts";
import { askStore, type StoreRun } from "./store-retries.ts";

/** developers.cloudflare.com/r2/platform/limits; S3 has the same limit. */
export const MAX_PARTS = 10_000;

export type OpenMultipart = { readonly handle: MultipartHandle; readonly partSizeBytes: number };

/** Once, twice or four times the smallest size, so that `sizeBytes` fit into {@link MAX_PARTS} parts. */
export function choosePartSizeFor(sizeBytes: number, { smallestPartBytes }: Runtime): number {
  const factor = [1, 2].find((each) => each * smallestPartBytes * MAX_PARTS >= sizeBytes) ?? 4;
  return factor * smallestPartBytes;
}

/** An upload that may already have a multipart upload on record. */
export type MultipartUpload = {
  readonly id: UploadId;
  readonly owner_id: string;
  readonly vod_id: string | null;
  readonly multipart_id: string | null;
  readonly part_size_bytes: number | null;
};

/** The object to store; `filename` names the unfinished file in the File Browser. */
export type NewObject = {
  readonly key: ObjectKey;
  readonly filename: string;
  readonly contentType: string;
  readonly partSizeBytes: number;
};

/**
 * Returns the multipart upload of an earlier run, or records a new one before its first part.
 * @throws {LeaseLost} and what {@link askStore} throws
 */
export async function openMultipart(
  run: StoreRun & { readonly lease: UploadLease },
  upload: MultipartUpload,
  { key, filename, contentType, partSizeBytes }: NewObject,
): Promise<OpenMultipart> {
  if (upload.multipart_id !== null && upload.part_size_bytes !== null)
    return {
      handle: { key, multipartId: upload.multipart_id },
      partSizeBytes: upload.part_size_bytes,
    };
  const { platform } = run.context;
  const { id, owner_id: ownerId, vod_id: vodId } = upload;
  const metadata = { uploadId: id, ownerId, ...(vodId === null ? {} : { vodId }) };
  const handle = await askStore(run, (objects) =>
    objects.createMultipart(key, { contentType, metadata }),
  );
  try {
    await batchUnderLease(platform.database, [
      sql`UPDATE uploads SET multipart_id = ${handle.multipartId}, object_key = ${key},
          part_size_bytes = ${partSizeBytes}, stored_bytes = 0
        WHERE ${leaseGuard(run.lease)}`,
      sql`DELETE FROM upload_parts WHERE upload_id = ${id} AND ${isLeased(run.lease)}`,
      sql`INSERT INTO files (object_key, upload_id, user_id, vod_id, filename, size_bytes,
          upload_type, status, content_type, last_modified_at)
        SELECT ${key}, ${id}, ${ownerId}, ${vodId}, ${filename}, 0, 'chunk', 'partial',
          ${contentType}, ${platform.clock.now()}
        WHERE ${isLeased(run.lease)}
        ON CONFLICT (object_key) DO NOTHING`,
    ]);
  } catch (error) {
    if (error instanceof LeaseLost) await platform.objects.abortMultipart(handle);
    throw error;
  }
  return { handle, partSizeBytes };
}

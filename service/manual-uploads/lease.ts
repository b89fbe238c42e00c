import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import {
  batchUnderLease,
  endLease,
  isFree,
  startCounted,
  takeLeaseIf,
  type UploadLease,
} from "#service/storage/lease.ts";
import type { Progress } from "#service/storage/lease-run.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import type { ManualUploads } from "./manual-uploads.ts";
import { manualUploadSchema, phaseAt, type ManualUpload } from "./upload.ts";

/** How long an unfinished upload waits for its client (tus expiration extension). */
export const EXPIRES_AFTER_MS = 24 * 3_600_000;

export type LeasedUpload = { readonly lease: UploadLease; readonly upload: ManualUpload };

/** The columns that another request may have changed since the upload was read. */
const leasedRow = z.pick(manualUploadSchema, {
  multipart_id: true,
  retry_count: true,
  stall_count: true,
  lost_starts: true,
  progress_history: true,
});

/**
 * Takes the lease to append at `offset`, or to prove if `offset` is the length. There is one writer
 * at a time, and each later write names its epoch (storage/lease.ts). A process may take the lease
 * from itself if it has ended its earlier request. Returns null if the offset or status has
 * changed, or another host holds the lease.
 */
export async function takeManualLease(
  { platform, owner }: ManualUploads,
  found: ManualUpload,
  offset: number,
): Promise<LeasedUpload | null> {
  const lease = await takeLeaseIf(
    platform,
    owner,
    found.id,
    sql`kind = 'manual' AND status IN ('pending', 'processing') AND stored_bytes = ${offset}
      AND (${isFree(platform, owner)} OR lease_owner = ${owner})`,
    sql`phase = ${phaseAt(found, offset)}, stalled_at = NULL, stall_reason = NULL,
      ${offset === found.length ? startCounted : sql`lost_starts = 0`}`,
  );
  return lease && { lease, upload: { ...found, ...leasedRow.parse(lease.row), offset } };
}

const releasedRow = z.object({ stored_bytes: z.number() });

/**
 * Releases the lease at the end of a request, so that the next one can start at once. Returns the
 * upload with its new offset.
 * @throws {LeaseLost}
 */
export async function releaseManualLease(
  { platform }: ManualUploads,
  { lease, upload }: LeasedUpload,
  progress: Progress,
): Promise<ManualUpload> {
  const nowMs = platform.clock.now();
  const expiresAt = nowMs + EXPIRES_AFTER_MS;
  const [released] = await batchUnderLease(platform.database, lease, [
    sql`${endLease(lease, nowMs, sql`${progress.columns()}, expires_at = ${expiresAt}`)}
      RETURNING stored_bytes`,
  ]);
  await publishUpload(platform, upload.id);
  const { stored_bytes: offset } = releasedRow.parse(released?.rows[0]);
  return { ...upload, offset, expires_at: expiresAt };
}

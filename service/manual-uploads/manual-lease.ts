import { endLease, isFree, takeLeaseIf, type UploadLease } from "#service/storage/lease.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { SAFE_BYTES, type ManualRow } from "./manual-row.ts";

/** How long an unfinished upload waits for its client (tus expiration extension). */
export const EXPIRES_AFTER_MS = 24 * 3_600_000;

/**
 * Takes the lease to append at `offset`, or to prove if `offset` is the length. There is one writer
 * at a time, and each later write names its epoch (storage/lease.ts). `owner` may take the
 * lease from itself if it has ended its earlier request. Returns null if the offset or status has
 * changed, or another host holds the lease.
 */
export function takeManualLease(
  platform: Platform,
  owner: string,
  upload: Pick<ManualRow, "id">,
  offset: number,
  phase: "copying" | "proving",
): Promise<UploadLease | null> {
  return takeLeaseIf(
    platform,
    owner,
    upload.id,
    sql`kind = 'manual' AND status IN ('pending', 'processing') AND ${SAFE_BYTES} = ${offset}
      AND (${isFree(platform, owner)} OR lease_owner = ${owner})`,
    sql`phase = ${phase}, stored_bytes = ${offset}, stalled_at = NULL, stall_reason = NULL`,
  );
}

/** Releases the lease at the end of a request. */
export function releaseManualLease(
  lease: UploadLease,
  { offset, length }: Pick<ManualRow, "offset" | "length">,
  nowMs: number,
): readonly Statement[] {
  const progress = length === 0 ? 0 : Math.min(99.9, (offset / length) * 100);
  return [
    sql`UPDATE manual_uploads SET expires_at = ${nowMs + EXPIRES_AFTER_MS}
      WHERE upload_id = ${lease.uploadId}`,
    endLease(
      lease,
      nowMs,
      sql`stored_bytes = ${offset}, progress = ${progress},
        phase = ${offset === length ? "proving" : "copying"}`,
    ),
  ];
}

import * as z from "zod/mini";
import { leaseGuard, isLeased, LEASE_MS, type UploadLease } from "#service/storage/lease.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { SAFE_BYTES, type ManualRow } from "./manual-row.ts";

/** How long an unfinished upload waits for its client (tus expiration extension). */
export const EXPIRES_AFTER_MS = 24 * 3_600_000;

const epochRow = z.object({ epoch: z.number() });

/**
 * Takes the lease to append at `offset`, or to prove if `offset` is the length. There is one writer
 * at a time, and each later write names its epoch (storage/lease.ts). `owner` may take the
 * lease from itself if it has ended its earlier request. Returns null if the offset or status has
 * changed, or another host holds the lease.
 */
export async function takeManualLease(
  platform: Platform,
  owner: string,
  upload: Pick<ManualRow, "id">,
  offset: number,
  phase: "copying" | "proving",
): Promise<UploadLease | null> {
  const nowMs = platform.clock.now();
  const { rows } = await platform.database.run(sql`
    UPDATE uploads AS u SET status = 'processing', phase = ${phase}, epoch = epoch + 1,
      version = version + 1, lease_owner = ${owner}, lease_until = ${nowMs + LEASE_MS},
      next_attempt_at = NULL, started_at = COALESCE(started_at, ${nowMs}),
      stored_bytes = ${offset}, stalled_at = NULL, stall_reason = NULL, updated_at = ${nowMs}
    WHERE id = ${upload.id} AND kind = 'manual' AND status IN ('pending', 'processing')
      AND ${SAFE_BYTES} = ${offset} AND ${isFree(platform, owner, nowMs)}
    RETURNING epoch`);
  const [row] = rows;
  return row === undefined ? null : { uploadId: upload.id, epoch: epochRow.parse(row).epoch };
}

/** On a sole writer, leases of earlier processes are always free. */
function isFree(platform: Platform, owner: string, nowMs: number): Statement {
  if (platform.runtime.isSoleWriter) return sql`TRUE`;
  return sql`(u.lease_until IS NULL OR ${isPast(sql`u.lease_until`, nowMs)} OR u.lease_owner = ${owner})`;
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
      WHERE upload_id = ${lease.uploadId} AND ${isLeased(lease)}`,
    sql`UPDATE uploads SET stored_bytes = ${offset}, progress = ${progress},
        phase = ${offset === length ? "proving" : "waiting"}, speed_bytes_per_sec = NULL,
        lease_owner = NULL, lease_until = NULL, version = version + 1, updated_at = ${nowMs}
      WHERE ${leaseGuard(lease)}`,
  ];
}

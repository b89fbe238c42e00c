import type { Platform } from "#service/platform.ts";
import type { UploadLease } from "#service/storage/lease.ts";
import { createProgress, type Progress } from "#service/storage/lease-run.ts";
import type { ManualRow } from "./manual-row.ts";

/** The progress of a request or proof; a manual upload counts its parts as segments. */
export function createManualProgress(
  platform: Platform,
  upload: ManualRow,
  lease: UploadLease,
  phase: "copying" | "proving",
): Progress {
  const { length, offset, part_size_bytes: partSizeBytes } = upload;
  const state = {
    phase,
    ...reached(upload, offset),
    segmentsTotal: Math.ceil(length / partSizeBytes),
    durationTotalSec: null,
    estimatedBytes: null,
    mutedRanges: [],
    missingRanges: [],
    reachedPercentage: 0,
  };
  return createProgress(platform, lease, state, upload.progress_history);
}

/** Notes `count` bytes that arrived, and the offset up to which bytes are acknowledged. */
export function noteReceived(
  progress: Progress,
  upload: ManualRow,
  safeOffset: number,
  count: number,
): void {
  Object.assign(progress.state, reached(upload, safeOffset));
  progress.bytesArrived(count);
  progress.unitDone();
}

function reached({ length, part_size_bytes: partSizeBytes }: ManualRow, offset: number) {
  const partsDone = Math.floor(offset / partSizeBytes);
  return {
    segmentsDone: partsDone,
    lastSegment: partsDone,
    bytesDone: offset,
    done: offset,
    total: length,
  };
}

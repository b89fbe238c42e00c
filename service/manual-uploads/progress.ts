import type { Platform } from "#service/platform.ts";
import { createProgress, type Progress } from "#service/storage/lease-run.ts";
import type { LeasedUpload } from "./lease.ts";
import { phaseAt, type ManualUpload } from "./upload.ts";

/** The progress of a request or proof; a manual upload counts its parts as segments. */
export function createManualProgress(
  platform: Platform,
  { lease, upload }: LeasedUpload,
): Progress {
  const { length, offset, part_size_bytes: partSizeBytes } = upload;
  const state = {
    ...stateAt(upload, offset),
    segmentsTotal: Math.ceil(length / partSizeBytes),
    durationTotalSec: null,
    estimatedBytes: null,
    mutedRanges: [],
    missingRanges: [],
    reachedPercentage: 0,
  };
  return createProgress(platform, lease, state, upload.progress_history);
}

/** Notes that the bytes up to `offset` are recorded. */
export function noteRecorded(progress: Progress, upload: ManualUpload, offset: number): void {
  Object.assign(progress.state, stateAt(upload, offset));
}

function stateAt(upload: ManualUpload, offset: number) {
  const partsDone = Math.floor(offset / upload.part_size_bytes);
  return {
    phase: phaseAt(upload, offset),
    segmentsDone: partsDone,
    lastSegment: partsDone,
    bytesDone: offset,
    done: offset,
    total: upload.length,
  };
}

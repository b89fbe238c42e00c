import type { TimeRange } from "#contract/upload.ts";
import {
  addTimeRange,
  estimatedBytes,
  isFile,
  timeRanges,
  type ArchiveManifest,
} from "./archive-manifest.ts";
import { createGapFinder } from "./playback-gaps.ts";
import type { Progress } from "#service/storage/lease-run.ts";
import type { StoredUnit } from "#service/storage/checkpoint.ts";

/** Updates the progress figures and estimates the size of units. */
export type CopyTally = {
  unitDone(): void;
  expectedBytes(unit: number): number;
};

/** From here on the measured bit rate predicts better than the playlist's figure. */
const SECONDS_TO_TRUST = 60;

/**
 * Counts incrementally, because a VOD of 48 hours has up to 172,800 units.
 * @param units the stored units; the caller appends to it before each `unitDone`
 */
export function createCopyTally(
  progress: Pick<Progress, "state" | "unitDone">,
  manifest: Pick<ArchiveManifest, "units" | "rendition">,
  units: readonly StoredUnit[],
): CopyTally {
  const { state } = progress;
  const gapOfNext = createGapFinder();
  let counted = 0;
  let planned = 0;
  let seenBytes = 0;
  let seenSec = 0;
  const missing: TimeRange[] = [];
  let doneSec = 0;
  let segmentsTotal = 0;
  let totalSec = 0;
  let plannedBytes = 0;
  state.segmentsDone = 0;
  state.done = 0;
  state.bytesDone = 0;
  state.missingRanges = missing;
  state.mutedRanges = timeRanges(manifest.units, (unit) => unit.isMuted);

  function countPlan(): void {
    if (planned < manifest.units.length) plannedBytes = estimatedBytes(manifest);
    for (; planned < manifest.units.length; planned += 1) {
      const unit = manifest.units[planned];
      if (unit === undefined) continue;
      if (unit.segment !== null) segmentsTotal += 1;
      totalSec += unit.durationSec;
    }
    state.segmentsTotal = segmentsTotal;
    state.durationTotalSec = isFile(manifest) ? null : totalSec;
    state.total = isFile(manifest) ? plannedBytes : totalSec;
  }

  function count(): void {
    countPlan();
    for (; counted < units.length; counted += 1) {
      const unit = manifest.units[counted];
      const stored = units[counted];
      if (unit === undefined || stored === undefined) continue;
      const startSec = doneSec;
      doneSec += unit.durationSec;
      state.done += isFile(manifest) ? stored.sizeBytes : unit.durationSec;
      state.bytesDone += stored.sizeBytes;
      if (gapOfNext(unit, stored) !== null && unit.segment !== null)
        addTimeRange(missing, startSec, doneSec);
      if (stored.isMissing) continue;
      seenBytes += stored.sizeBytes;
      seenSec += unit.durationSec;
      if (unit.segment === null) continue;
      state.segmentsDone += 1;
      state.lastSegment = unit.segment;
    }
    state.estimatedBytes =
      seenSec < SECONDS_TO_TRUST ? plannedBytes : Math.round((seenBytes / seenSec) * totalSec);
  }

  count();
  return {
    unitDone() {
      count();
      progress.unitDone();
    },
    expectedBytes(index) {
      const unit = manifest.units[index];
      if (unit?.version !== undefined) return unit.byteRange?.length ?? 0;
      const durationSec = unit?.durationSec ?? 0;
      const bytesPerSec =
        seenSec < SECONDS_TO_TRUST
          ? manifest.rendition.bandwidthBitsPerSec / 8
          : seenBytes / seenSec;
      return Math.ceil(bytesPerSec * durationSec * 1.1);
    },
  };
}

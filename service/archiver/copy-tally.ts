import type { TimeRange } from "#contract/upload.ts";
import { addTimeRange, type ArchiveManifest } from "./archive-manifest.ts";
import type { ArchiveProgress } from "./archive-progress.ts";
import type { StoredUnit } from "./part-cutter.ts";

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
  progress: Pick<ArchiveProgress, "state" | "unitDone">,
  manifest: Pick<ArchiveManifest, "units" | "rendition">,
  units: readonly StoredUnit[],
): CopyTally {
  const { state } = progress;
  let counted = 0;
  let planned = 0;
  let seenBytes = 0;
  let seenSec = 0;
  const missing: TimeRange[] = [];
  let segmentsTotal = 0;
  let totalSec = 0;
  state.segmentsDone = 0;
  state.durationDoneSec = 0;
  state.bytesDone = 0;
  state.missingRanges = missing;

  function countPlan(): void {
    for (; planned < manifest.units.length; planned += 1) {
      const unit = manifest.units[planned];
      if (unit === undefined) continue;
      if (unit.segment !== null) segmentsTotal += 1;
      totalSec += unit.durationSec;
    }
    state.segmentsTotal = segmentsTotal;
    state.durationTotalSec = totalSec;
  }

  function count(): void {
    countPlan();
    for (; counted < units.length; counted += 1) {
      const unit = manifest.units[counted];
      const stored = units[counted];
      if (unit === undefined || stored === undefined) continue;
      const startSec = state.durationDoneSec;
      state.durationDoneSec += unit.durationSec;
      state.bytesDone += stored.sizeBytes;
      if (stored.isMissing) {
        if (unit.segment !== null) addTimeRange(missing, startSec, state.durationDoneSec);
        continue;
      }
      seenBytes += stored.sizeBytes;
      seenSec += unit.durationSec;
      if (unit.segment === null) continue;
      state.segmentsDone += 1;
      state.lastSegment = unit.segment;
    }
    const bytesPerSec =
      seenSec < SECONDS_TO_TRUST ? manifest.rendition.bandwidthBitsPerSec / 8 : seenBytes / seenSec;
    state.estimatedBytes = Math.round(bytesPerSec * totalSec);
  }

  count();
  return {
    unitDone() {
      count();
      progress.unitDone();
    },
    expectedBytes(index) {
      const durationSec = manifest.units[index]?.durationSec ?? 0;
      const bytesPerSec =
        seenSec < SECONDS_TO_TRUST
          ? manifest.rendition.bandwidthBitsPerSec / 8
          : seenBytes / seenSec;
      return Math.ceil(bytesPerSec * durationSec * 1.1);
    },
  };
}

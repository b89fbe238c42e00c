import { estimatedBytes } from "./archive-plan.ts";
import { timeRanges, totalDurationSec, type ArchiveManifest } from "./archive-manifest.ts";
import type { ArchiveProgress } from "./archive-progress.ts";
import type { StoredUnit } from "./part-cutter.ts";

/** Keeps the figures that a watcher sees, and what a unit will probably weigh. */
export type CopyTally = {
  unitDone(): void;
  expectedBytes(unit: number): number;
};

/** From here on what was seen predicts better than what the playlist promises. */
const SECONDS_TO_TRUST = 60;

export function createCopyTally(
  progress: ArchiveProgress,
  manifest: ArchiveManifest,
  units: readonly StoredUnit[],
): CopyTally {
  const { state } = progress;
  let counted = 0;
  let seenBytes = 0;
  let seenSec = 0;

  function count(): void {
    for (; counted < units.length; counted += 1) {
      const unit = manifest.units[counted];
      const stored = units[counted];
      if (unit === undefined || stored === undefined) continue;
      state.durationDoneSec += unit.durationSec;
      state.bytesDone += stored.sizeBytes;
      if (stored.isMissing) {
        state.missingRanges = timeRanges(manifest.units, (_, index) => isMissing(index));
        continue;
      }
      seenBytes += stored.sizeBytes;
      seenSec += unit.durationSec;
      if (unit.segment === null) continue;
      state.segmentsDone += 1;
      state.lastSegment = unit.segment;
    }
    state.segmentsTotal = manifest.units.filter((unit) => unit.segment !== null).length;
    state.durationTotalSec = totalDurationSec(manifest.units);
    state.estimatedBytes =
      seenSec < SECONDS_TO_TRUST
        ? estimatedBytes(manifest)
        : Math.round((seenBytes / seenSec) * state.durationTotalSec);
  }

  function isMissing(index: number): boolean {
    return units[index]?.isMissing ?? false;
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

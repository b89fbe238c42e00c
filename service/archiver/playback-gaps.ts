import type { StoredUnit, UnitGap } from "#service/storage/checkpoint.ts";
import type { ArchiveUnit } from "./archive-manifest.ts";

/** Why a unit of a stored archive cannot be played: as {@link UnitGap}, or its init section is one. */
export type PlaybackGap = UnitGap | "lacks_init";

/** By unit; null for one that can be played. A unit that is not stored is missing. */
export function playbackGaps(
  units: readonly GapUnit[],
  stored: readonly StoredUnit[],
): readonly (PlaybackGap | null)[] {
  const gapOfNext = createGapFinder();
  return units.map((unit, index) => gapOfNext(unit, stored[index]));
}

export function failureClassOfGaps(
  gaps: readonly (PlaybackGap | null)[],
): "gone_at_source" | "source_corrupt" {
  return gaps.includes("missing") ? "gone_at_source" : "source_corrupt";
}

type GapUnit = Pick<ArchiveUnit, "kind">;

/** Call the result for each unit, in order. */
export function createGapFinder(): (
  unit: GapUnit,
  stored: StoredUnit | undefined,
) => PlaybackGap | null {
  let hasInit = false;
  return ({ kind }, stored) => {
    const gap = gapOf(stored);
    if (kind === "fmp4-init") hasInit = gap === null;
    return gap ?? (kind === "fmp4-fragment" && !hasInit ? "lacks_init" : null);
  };
}

function gapOf(stored: StoredUnit | undefined): UnitGap | null {
  if (stored?.isMissing === false) return null;
  return stored?.isDamaged === true ? "damaged" : "missing";
}

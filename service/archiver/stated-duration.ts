import type { Shortfall } from "#contract/shortfall.ts";
import { isFile, totalDurationSec, type ArchiveManifest } from "./archive-manifest.ts";

/** Up to this, the difference is rounding and the last segment, which Twitch does not always list. */
const NOTED_FROM_SEC = 10;

/** Null for a playlist that lacks at most ten seconds of the stated duration. */
export function findShortfall(
  manifest: Pick<ArchiveManifest, "source" | "units" | "part">,
): Shortfall | null {
  const statedDurationSec = statedSec(manifest);
  const durationSec = playlistDurationSec(manifest);
  if (statedDurationSec === null || durationSec === null) return null;
  return statedDurationSec - durationSec > NOTED_FROM_SEC
    ? { statedDurationSec, durationSec }
    : null;
}

/** Of a part, what the VOD as stated has of it. */
function statedSec({
  source: { durationSec },
  part,
}: Pick<ArchiveManifest, "source" | "part">): number | null {
  if (part === undefined || durationSec === null) return durationSec;
  return Math.min(durationSec, part.endSec) - part.beginsAtSec;
}

/** In whole milliseconds; null for a file. */
export function playlistDurationSec({ units }: Pick<ArchiveManifest, "units">): number | null {
  return isFile({ units }) ? null : Math.round(totalDurationSec(units) * 1_000) / 1_000;
}

import { isFile, totalDurationSec, type ArchiveManifest } from "./archive-manifest.ts";

/** Up to this, the difference is rounding and the last segment, which Twitch does not always list. */
const NOTED_FROM_SEC = 10;

/** A playlist that is shorter than the duration that its source states. */
export type Shortfall = { readonly statedDurationSec: number; readonly durationSec: number };

/** Null for a playlist that lacks at most ten seconds of the stated duration. */
export function findShortfall(
  manifest: Pick<ArchiveManifest, "source" | "units">,
): Shortfall | null {
  const statedDurationSec = manifest.source.durationSec;
  const durationSec = playlistDurationSec(manifest);
  if (statedDurationSec === null || durationSec === null) return null;
  return statedDurationSec - durationSec > NOTED_FROM_SEC
    ? { statedDurationSec, durationSec }
    : null;
}

/** In whole milliseconds; null for a file. */
export function playlistDurationSec({ units }: Pick<ArchiveManifest, "units">): number | null {
  return isFile({ units }) ? null : Math.round(totalDurationSec(units) * 1_000) / 1_000;
}

/** "Twitch states 5:00; its playlist has 3:20." */
export function shortfallSentence(
  source: string,
  { statedDurationSec, durationSec }: Shortfall,
): string {
  return `${source} states ${clockText(statedDurationSec)}; its playlist has ${clockText(durationSec)}.`;
}

function clockText(sec: number): string {
  const whole = Math.round(sec);
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  const seconds = String(whole % 60).padStart(2, "0");
  return hours === 0
    ? `${minutes}:${seconds}`
    : `${hours}:${String(minutes).padStart(2, "0")}:${seconds}`;
}

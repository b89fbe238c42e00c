import type { Quality, WithheldRendition } from "#contract/quality.ts";
import { SourceError } from "./source-error.ts";
import type { Playback, Rendition, Variant, Withheld } from "./source.ts";

/** The height that each choice allows. */
const MOST_LINES: Readonly<Record<Exclude<Quality, "audio">, number>> = {
  best: Infinity,
  "1080p": 1080,
  "720p": 720,
  "480p": 480,
};

/**
 * Chooses the rendition to archive. A picture is landscape before the vertical crop, whatever is
 * marked as source; then the source before transcodes, then by resolution, frame rate and bit rate.
 * If all are higher than the choice allows, it is the lowest. The order of the list has no meaning
 * (docs/twitch.md#master-playlists).
 * @throws {SourceError} when every rendition of that kind is missing or withheld
 */
export function chooseRendition({ renditions, withheld }: Playback, quality: Quality): Variant {
  if (quality === "audio") {
    const [best] = renditions.filter(isAudio).toSorted(byBitRate);
    if (best !== undefined) return best;
    throw new SourceError("source_corrupt", "The source does not offer the sound alone.");
  }
  const pictures = renditions.filter((each) => !isAudio(each)).toSorted(byWorth);
  const best = pictures.find((each) => linesOf(each) <= MOST_LINES[quality]);
  const lowest = pictures.toSorted((one, other) => linesOf(one) - linesOf(other))[0];
  const chosen = best ?? lowest;
  if (chosen !== undefined) return chosen;
  if (withheld.length > 0)
    throw new SourceError(
      "needs_entitlement",
      `The source withholds every rendition with video: ${withheld.slice(0, 5).map(withReason).join(", ")}.`,
    );
  throw new SourceError("source_corrupt", "The source offers no rendition with video.");
}

/** E.g. "1080p60"; null if the picture's size is unknown. */
export function renditionLabel(rendition: Omit<Rendition, "sizeBytes">): string | null {
  if (isAudio(rendition)) return "audio only";
  const lines = linesOf(rendition);
  return lines === 0 ? null : `${lines}p${Math.round(rendition.framesPerSec ?? 0) || ""}`;
}

/**
 * The best rendition that the source withholds, if it would have been chosen in place of `chosen`;
 * else null.
 */
export function betterWithheld(
  { withheld }: Playback,
  chosen: Rendition,
  quality: Quality,
): WithheldRendition | null {
  if (quality === "audio") return null;
  const [best] = withheld
    .filter((each) => linesOf(each) <= MOST_LINES[quality] && isBetter(each, chosen))
    .toSorted((one, other) => (isBetter(one, other) ? -1 : 1));
  return best === undefined ? null : { label: best.label, reason: best.reason };
}

type Sized = Pick<Withheld, "resolution" | "framesPerSec"> & { readonly label?: string };

function isBetter(one: Sized, other: Sized): boolean {
  const moreLines = linesOf(one) - linesOf(other);
  if (moreLines !== 0) return moreLines > 0;
  // Stated rates differ by rounding: 59.995 and 60.
  return rateOf(one) - rateOf(other) > 1;
}

/** Ignores the source mark, because v2 also marks audio-only renditions as a source. */
function isAudio({ name, resolution, codecs }: Omit<Rendition, "sizeBytes">): boolean {
  if (name === "audio_only") return true;
  if (resolution !== null || codecs === null) return false;
  return !/\b(?:avc[13]|hev1|hvc1|av01|vp09)\b/.test(codecs);
}

function byWorth(one: Variant, other: Variant): number {
  return (
    Number(one.isPortrait) - Number(other.isPortrait) ||
    Number(other.isMarkedSource) - Number(one.isMarkedSource) ||
    pixelCount(other) - pixelCount(one) ||
    (other.framesPerSec ?? 0) - (one.framesPerSec ?? 0) ||
    byBitRate(one, other)
  );
}

function byBitRate(one: Variant, other: Variant): number {
  return other.bandwidthBitsPerSec - one.bandwidthBitsPerSec;
}

function pixelCount({ resolution }: Pick<Sized, "resolution">): number {
  const [width = 0, height = 0] = sidesOf(resolution);
  return width * height;
}

/** The shorter side of the picture, also of a vertical one; 0 if unknown. */
function linesOf({ resolution, label = "" }: Sized): number {
  const [width = 0, height = 0] = sidesOf(resolution);
  return Math.min(width, height) || Number(/^(\d{3,4})p/.exec(label)?.[1] ?? 0);
}

/** Labels leave out 30 frames a second. */
function rateOf({ framesPerSec, label = "" }: Sized): number {
  return framesPerSec ?? Number(/^\d+p(\d{2,3})$/.exec(label)?.[1] ?? 30);
}

function sidesOf(resolution: string | null): readonly number[] {
  const match = /^(\d{1,5})x(\d{1,5})$/.exec(resolution ?? "");
  return match === null ? [] : [Number(match[1]), Number(match[2])];
}

function withReason({ label, reason }: Withheld): string {
  if (reason === "sign_in") return `${label} (for signed-in viewers)`;
  return reason === "region" ? `${label} (not in this region)` : label;
}

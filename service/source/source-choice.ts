import { SourceError } from "./source-error.ts";
import type { MasterPlaylist, Variant } from "./master-playlist.ts";

/**
 * Chooses the rendition to archive among those with a picture: the source before transcodes,
 * landscape before the vertical crop, then by resolution, frame rate and bit rate. The order of the
 * list has no meaning (docs/twitch.md#master-playlists).
 * @throws {SourceError} when every rendition with a picture is missing or withheld
 */
export function chooseSource({ variants, withheld }: MasterPlaylist): Variant {
  const best = variants.filter(hasPicture).toSorted(byWorth)[0];
  if (best !== undefined) return best;
  if (withheld.length > 0)
    throw new SourceError(
      "needs_entitlement",
      `The source withholds every rendition with video: ${withheld.slice(0, 5).join(", ")}.`,
    );
  throw new SourceError("source_corrupt", "The source offers no rendition with video.");
}

/** Ignores the source mark, because v2 also marks audio-only renditions as a source. */
function hasPicture(variant: Variant): boolean {
  if (variant.name === "audio_only") return false;
  if (variant.resolution !== null) return true;
  return variant.codecs === null || /\b(?:avc[13]|hev1|hvc1|av01|vp09)\b/.test(variant.codecs);
}

function byWorth(one: Variant, other: Variant): number {
  return (
    Number(other.isMarkedSource) - Number(one.isMarkedSource) ||
    Number(one.isPortrait) - Number(other.isPortrait) ||
    pixelCount(other) - pixelCount(one) ||
    (other.framesPerSec ?? 0) - (one.framesPerSec ?? 0) ||
    other.bandwidthBitsPerSec - one.bandwidthBitsPerSec
  );
}

function pixelCount({ resolution }: Variant): number {
  const match = /^(\d{1,5})x(\d{1,5})$/.exec(resolution ?? "");
  return match === null ? 0 : Number(match[1]) * Number(match[2]);
}

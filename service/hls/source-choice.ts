import { SourceError } from "#service/twitch/source-error.ts";
import type { MasterPlaylist, Variant } from "./master-playlist.ts";

/**
 * The rendition worth archiving: with a picture, what the streamer sent before what was made of it,
 * landscape before its vertical crop, then the largest picture, the most frames, the most bits. The
 * order of the list means nothing (docs/twitch.md#master-playlists).
 * @throws {SourceError} when every rendition with a picture is missing or withheld
 */
export function chooseSource({ variants, withheld }: MasterPlaylist): Variant {
  const best = variants.filter(hasPicture).toSorted(byWorth)[0];
  if (best !== undefined) return best;
  if (withheld.length > 0)
    throw new SourceError(
      "needs_entitlement",
      `Twitch withholds every rendition with a picture: ${withheld.slice(0, 5).join(", ")}.`,
    );
  throw new SourceError("source_corrupt", "The source offers no rendition with a picture.");
}

/** v2 marks audio alone as a source as well, so its mark decides nothing here. */
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

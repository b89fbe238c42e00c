import type { Rendition } from "./twitch-client.ts";

/**
 * What a rendition will take, from the bits a second that its playlist states. Twitch's figure includes
 * the container; the finished object is usually within ten per cent.
 */
export function estimateSizeBytes(
  rendition: Pick<Rendition, "bandwidthBitsPerSec">,
  durationSec: number,
): number {
  return Math.round((rendition.bandwidthBitsPerSec * durationSec) / 8);
}

import { placeInRanges, type Rendition, type Vod } from "../catalog/vod.ts";
import type { ByteSource } from "../http/byte-source.ts";

/** The current bytes of a segment, muted or not. */
export function segmentSource(vod: Vod, rendition: Rendition, index: number): ByteSource {
  const { range, indexInRange } = placeInRanges(vod, index);
  return rendition.track.segment({ index, indexInRange, range, muted: vod.muted.has(index) });
}

export function sizeOfSegment(vod: Vod, rendition: Rendition, index: number): number {
  return segmentSource(vod, rendition, index).sizeBytes;
}

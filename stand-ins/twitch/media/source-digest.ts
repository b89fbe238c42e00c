import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { initRangeOf, placeInRanges, renditionOf, segmentBytes, type Vod } from "../catalog/vod.ts";

/**
 * The digest of a complete archive of the VOD in its current state: the segments in playlist order,
 * for fMP4 with each init segment before its fragments. Permanently missing segments are left out.
 */
export type SourceDigest = {
  readonly sizeBytes: number;
  readonly sha256: string;
};

/** Hashing blocks the event loop; it yields to other requests after this many bytes. */
const TURN_BYTES = 32 * 1024 * 1024;

export async function digestSource(vod: Vod, groupId: string): Promise<SourceDigest> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  let sinceTurn = 0;
  for (const bytes of archivedBytes(vod, groupId)) {
    hash.update(bytes);
    sizeBytes += bytes.byteLength;
    sinceTurn += bytes.byteLength;
    if (sinceTurn >= TURN_BYTES) {
      sinceTurn = 0;
      await nextTurn();
    }
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

function* archivedBytes(vod: Vod, groupId: string): Generator<Uint8Array> {
  const rendition = renditionOf(vod, groupId);
  let mappedRange = -1;
  for (let index = 0; index < vod.segmentCount; index += 1) {
    const initRange = initRangeOf(vod, placeInRanges(vod, index).range);
    const init = rendition.track.init(initRange);
    if (init !== null && initRange !== mappedRange) {
      mappedRange = initRange;
      yield init;
    }
    if (!vod.gaps.has(index)) yield segmentBytes(vod, rendition, index);
  }
}

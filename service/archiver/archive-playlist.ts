import type { ObjectKey } from "#contract/files.ts";
import type { ByteRange } from "#service/ports/object-store.ts";
import {
  writeByteRangePlaylist,
  type ByteRangeEntry,
} from "#service/source/byte-range-playlist.ts";
import type { ArchiveManifest } from "./archive-manifest.ts";
import type { StoredUnit } from "#service/storage/part-cutter.ts";

/** A playlist of byte ranges, so that the stored object can be played with seeking. */
export function archivePlaylist(
  manifest: ArchiveManifest,
  units: readonly StoredUnit[],
  objectKey: ObjectKey,
): string {
  const entries: ByteRangeEntry[] = [];
  let offset = 0;
  let init: ByteRange | null = null;
  manifest.units.forEach((unit, index) => {
    const stored = units[index] ?? { sizeBytes: 0, isMissing: true };
    const range = { offset, length: stored.sizeBytes };
    offset += stored.sizeBytes;
    if (unit.segment === null) {
      // Fragments cannot be played without their init section.
      init = stored.isMissing ? null : range;
      return;
    }
    const lacksInit = unit.kind === "fmp4-fragment" && init === null;
    entries.push({
      durationSec: unit.durationSec,
      ...range,
      init: unit.kind === "fmp4-fragment" ? init : null,
      startsDiscontinuity: unit.startsDiscontinuity,
      isGap: stored.isMissing || lacksInit,
    });
  });
  return writeByteRangePlaylist({
    objectUri: objectKey.slice(objectKey.lastIndexOf("/") + 1),
    targetDurationSec: manifest.targetDurationSec,
    entries,
  });
}

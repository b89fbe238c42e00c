import { twitchVodIdSchema, uploadIdSchema } from "#contract/ids.ts";
import type { TimeRange } from "#contract/upload.ts";
import type { MediaPlaylist } from "#service/hls/media-playlist.ts";
import type { Container } from "./object-keys.ts";
import * as z from "zod/mini";

/**
 * The frozen plan of an archive, stored as JSON beside its object. It fixes the order of bytes, so
 * that any runner on any host can continue where the last one stopped. The archive can be checked
 * against it once the source is gone. A growing broadcast only appends units.
 */

const byteRangeSchema = z.object({ offset: z.number(), length: z.number() });

/** One thing to fetch: a TS segment, an init section, or a fragment, in the order of bytes. */
const unitSchema = z.object({
  kind: z.enum(["ts", "fmp4-init", "fmp4-fragment"]),
  url: z.string(),
  byteRange: z.nullable(byteRangeSchema),
  /** Position in the source's playlist; null for init sections. */
  segment: z.nullable(z.number()),
  /** Zero for init sections. */
  durationSec: z.number(),
  startsDiscontinuity: z.boolean(),
  isMuted: z.boolean(),
  /** The source marks the segment as absent (EXT-X-GAP). */
  isGap: z.boolean(),
});
export type ArchiveUnit = z.infer<typeof unitSchema>;

export const storedUnitSchema = z.object({ sizeBytes: z.number(), isMissing: z.boolean() });

const storedSchema = z.object({
  sizeBytes: z.number(),
  tag: z.string(),
  tagAlgorithm: z.enum(["sha-256", "md5", "none"]),
  partSizeBytes: z.number(),
  /** SHA-256 of each part, in order, so that any part can be verified on its own. */
  partSha256: z.array(z.string()),
  /** In the order of `units`; the sum of the sizes before a unit is its offset in the object. */
  units: z.array(storedUnitSchema),
});

/** Who confirmed the rights: the owner by signing in, or an administrator. */
export const rightsSchema = z.enum(["owner_signed_in", "administrator_confirmed"]);
export type Rights = z.infer<typeof rightsSchema>;

const manifestSchema = z.object({
  version: z.literal(1),
  uploadId: uploadIdSchema,
  container: z.enum(["ts", "fmp4"]),
  /** Absent from manifests written before it was recorded. */
  rights: z.optional(rightsSchema),
  source: z.object({
    vodId: twitchVodIdSchema,
    ownerId: z.string(),
    ownerLogin: z.string(),
    ownerDisplayName: z.string(),
    title: z.string(),
    createdAt: z.string(),
    durationSec: z.number(),
  }),
  rendition: z.object({
    name: z.string(),
    playlistUrl: z.string(),
    bandwidthBitsPerSec: z.number(),
    codecs: z.nullable(z.string()),
    resolution: z.nullable(z.string()),
    framesPerSec: z.nullable(z.number()),
  }),
  targetDurationSec: z.number(),
  /** Number of polls in a row that found the VOD ended and not longer than this plan. */
  agreeingPolls: z.number(),
  units: z.array(unitSchema),
  /** Present once the object is finished. */
  stored: z.optional(storedSchema),
});
export type ArchiveManifest = z.infer<typeof manifestSchema>;

export function encodeManifest(manifest: ArchiveManifest): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(manifest));
}

/** Returns null if the bytes are not a valid manifest. */
export function decodeManifest(bytes: Uint8Array): ArchiveManifest | null {
  try {
    return manifestSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

/** Decided by EXT-X-MAP, not by the file extension (docs/twitch.md#segments). */
export function containerOf(playlist: MediaPlaylist): Container {
  return playlist.inits.length === 0 ? "ts" : "fmp4";
}

/** Units in the order of bytes: each init section precedes the fragments that need it. */
export function unitsOf(playlist: MediaPlaylist): readonly ArchiveUnit[] {
  const units: ArchiveUnit[] = [];
  let currentInit: number | null = null;
  for (const segment of playlist.segments) {
    if (segment.initIndex !== null && segment.initIndex !== currentInit && !segment.isGap) {
      const init = playlist.inits[segment.initIndex];
      if (init === undefined) throw new Error(`Playlist lacks init section ${segment.initIndex}`);
      currentInit = segment.initIndex;
      units.push({
        kind: "fmp4-init",
        url: init.url,
        byteRange: init.byteRange,
        segment: null,
        durationSec: 0,
        startsDiscontinuity: false,
        isMuted: false,
        isGap: false,
      });
    }
    units.push({
      kind: segment.initIndex === null ? "ts" : "fmp4-fragment",
      url: segment.url,
      byteRange: segment.byteRange,
      segment: segment.index,
      durationSec: segment.durationSec,
      startsDiscontinuity: segment.startsDiscontinuity,
      isMuted: segment.isMuted,
      isGap: segment.isGap,
    });
  }
  return units;
}

/** Twitch prints durations with three decimals; a larger difference means a different cut. */
const DURATION_TOLERANCE_SEC = 0.002;

/**
 * Whether a later playlist is the same recording, cut the same way and at least as long. Muting may
 * rename segments. The last segment of a growing broadcast may still get longer, so it is only
 * planned once another follows it or the playlist has ended.
 */
export function continues(planned: readonly ArchiveUnit[], later: readonly ArchiveUnit[]): boolean {
  return planned.every((unit, index) => {
    const other = later[index];
    return (
      other !== undefined &&
      other.kind === unit.kind &&
      other.segment === unit.segment &&
      Math.abs(other.durationSec - unit.durationSec) <= DURATION_TOLERANCE_SEC
    );
  });
}

export function totalDurationSec(units: readonly ArchiveUnit[]): number {
  return units.reduce((sec, unit) => sec + unit.durationSec, 0);
}

/**
 * Limited because ranges are part of the upload's row and of every update. Twitch mutes six minutes
 * at a time: 48 hours have at most 240 ranges that do not touch.
 */
const MAX_TIME_RANGES = 240;

/** Appends a range, merging it with the last one if they touch or the limit is reached. */
export function addTimeRange(ranges: TimeRange[], startSec: number, endSec: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && (last.endSec >= startSec || ranges.length === MAX_TIME_RANGES))
    last.endSec = endSec;
  else ranges.push({ startSec, endSec });
}

/** Time ranges of the VOD for the units that `isWanted` selects; adjacent ranges are merged. */
export function timeRanges(
  units: readonly ArchiveUnit[],
  isWanted: (unit: ArchiveUnit, index: number) => boolean,
): TimeRange[] {
  const ranges: TimeRange[] = [];
  let atSec = 0;
  units.forEach((unit, index) => {
    const endSec = atSec + unit.durationSec;
    if (unit.segment !== null && isWanted(unit, index)) addTimeRange(ranges, atSec, endSec);
    atSec = endSec;
  });
  return ranges;
}

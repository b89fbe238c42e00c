import { twitchVodIdSchema, uploadIdSchema } from "#contract/ids.ts";
import type { TimeRange } from "#contract/upload.ts";
import type { MediaPlaylist } from "#service/hls/media-playlist.ts";
import type { Container } from "./object-keys.ts";
import * as z from "zod/mini";

/**
 * The frozen plan of an archive, kept beside its object as JSON. It fixes the order of bytes, so
 * that any runner on any host continues where the last one stopped, and it is what the archive can
 * be checked against once the source is gone. A growing broadcast only ever appends units.
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
  /** The source itself says that nothing is here (EXT-X-GAP). */
  isGap: z.boolean(),
});
export type ArchiveUnit = z.infer<typeof unitSchema>;

export const storedUnitSchema = z.object({ sizeBytes: z.number(), isMissing: z.boolean() });

const storedSchema = z.object({
  sizeBytes: z.number(),
  tag: z.string(),
  tagAlgorithm: z.enum(["sha-256", "md5", "none"]),
  partSizeBytes: z.number(),
  /** SHA-256 of each part, in order: proof of any stretch without reading the whole. */
  partSha256: z.array(z.string()),
  /** In the order of `units`; adding up sizes gives each unit's place in the object. */
  units: z.array(storedUnitSchema),
});

/** Whose consent an archive rests on: the owner signed in, or an administrator vouches for the rights. */
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
  /** How many polls in a row found the VOD ended and not longer than this plan. */
  agreeingPolls: z.number(),
  units: z.array(unitSchema),
  /** Present once the object is finished. */
  stored: z.optional(storedSchema),
});
export type ArchiveManifest = z.infer<typeof manifestSchema>;

export function encodeManifest(manifest: ArchiveManifest): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(manifest));
}

/** Null for bytes that are no manifest. */
export function decodeManifest(bytes: Uint8Array): ArchiveManifest | null {
  try {
    return manifestSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

/** EXT-X-MAP decides, never the extension (docs/twitch.md#segments). */
export function containerOf(playlist: MediaPlaylist): Container {
  return playlist.inits.length === 0 ? "ts" : "fmp4";
}

/** The order of bytes: each init section once before the fragments that need it. */
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

/** Twitch prints durations with three decimals; anything above half of that is another cut. */
const DURATION_TOLERANCE_SEC = 0.002;

/**
 * Whether a later playlist is the same recording cut the same way, at least as long. Names may
 * change (muting does that); the last segment of a growing broadcast may still get longer, so it
 * is only planned once another follows it or the playlist has ended.
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
 * Ranges are in the upload's row and in every update of it. Twitch mutes stretches of six minutes:
 * 48 hours have at most 240 that do not touch.
 */
const MAX_TIME_RANGES = 240;

/** Adds a range that begins where the last one ends or later; the last of too many spans the rest. */
export function addTimeRange(ranges: TimeRange[], startSec: number, endSec: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && (last.endSec >= startSec || ranges.length === MAX_TIME_RANGES))
    last.endSec = endSec;
  else ranges.push({ startSec, endSec });
}

/** Stretches of the VOD's own time for the units that `isWanted` picks, joined where they touch. */
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

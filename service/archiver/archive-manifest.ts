import { chapterSchema, type ObjectKey } from "#contract/files.ts";
import { partSchema } from "#contract/part.ts";
import { qualitySchema, withheldRenditionSchema } from "#contract/quality.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { uploadKindSchema, type TimeRange } from "#contract/upload.ts";
import { storedUnitSchema } from "#service/storage/checkpoint.ts";
import { fileVersionSchema, type SourceContent } from "#service/source/source.ts";
import { parseManifest, provedObjectSchema } from "#service/storage/manifest.ts";
import { choosePartSizeFor, type NewObject } from "#service/storage/multipart.ts";
import {
  archiveFilename,
  CONTAINERS,
  contentType,
  type Container,
} from "#service/storage/object-keys.ts";
import type { Runtime } from "#service/platform.ts";
import * as z from "zod/mini";

/**
 * The frozen plan of an archive, stored as JSON beside its object. It fixes the order of bytes, so
 * that any runner on any host can continue where the last one stopped. The archive can be checked
 * against it once the source is gone. A growing broadcast only appends units.
 */

const byteRangeSchema = z.object({ offset: z.number(), length: z.number() });

/** One thing to fetch, in the order of bytes: a segment, an init section, or a range of a file. */
const unitSchema = z.object({
  kind: z.enum(["ts", "fmp4-init", "fmp4-fragment", "bytes"]),
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
  /** The version of the file that a range belongs to. */
  version: z.optional(fileVersionSchema),
});
export type ArchiveUnit = z.infer<typeof unitSchema>;

const storedSchema = z.extend(provedObjectSchema, {
  /** In the order of `units`; the sum of the sizes before a unit is its offset in the object. */
  units: z.array(storedUnitSchema),
});

/**
 * What an archive rests on: the owner's consent, or an administrator's confirmation. Without a
 * `consentTextVersion` beside it, `owner_signed_in` says that the owner had only signed in.
 */
export const rightsSchema = z.enum(["owner_signed_in", "administrator_confirmed"]);
export type Rights = z.infer<typeof rightsSchema>;

const manifestSchema = z.object({
  /** 2 with a `part`, so that readers that do not know parts refuse it instead of taking it for the VOD. */
  version: z.literal([1, 2]),
  uploadId: uploadIdSchema,
  container: z.enum(CONTAINERS),
  rights: rightsSchema,
  /** The version of the text that the owner had agreed to. */
  consentTextVersion: z.optional(z.number()),
  source: z.object({
    kind: uploadKindSchema,
    /** The text by which the source finds the item again. */
    reference: z.string(),
    vodId: z.string(),
    ownerId: z.string(),
    ownerLogin: z.string(),
    ownerDisplayName: z.string(),
    title: z.string(),
    /** The file's name without its extension. */
    fileStem: z.string(),
    createdAt: z.string(),
    /** Null when the source does not state it. */
    durationSec: z.nullable(z.number()),
    /** Absent in plans of earlier versions. */
    broadcastId: z.optional(z.nullable(z.string())),
    /** Present once the object is finished, if they could be read. */
    chapters: z.optional(z.array(chapterSchema)),
  }),
  rendition: z.object({
    name: z.string(),
    playlistUrl: z.string(),
    bandwidthBitsPerSec: z.number(),
    codecs: z.nullable(z.string()),
    resolution: z.nullable(z.string()),
    framesPerSec: z.nullable(z.number()),
    /** What was asked for, and a better rendition that was withheld; absent in older manifests. */
    quality: z.optional(qualitySchema),
    withheld: z.optional(z.nullable(withheldRenditionSchema)),
    /** The source removed it while it was copied. */
    isRemoved: z.optional(z.literal(true)),
  }),
  /** Of a VOD, if not all of it is archived; `units`, chapters and what is stored are of the part. */
  part: z.optional(
    z.extend(z.object(partSchema.shape), {
      /** Where in the VOD its first segment begins, and that segment's number. */
      beginsAtSec: z.number(),
      firstSegment: z.number(),
    }),
  ),
  targetDurationSec: z.number(),
  /** At the last look (broadcast-end.ts); absent in plans of earlier versions. */
  end: z.optional(z.enum(["live", "tail", "final"])),
  /** When the playlist was last seen to grow, in milliseconds since 1970. */
  grownAt: z.optional(z.number()),
  /** The source removed the broadcast before its end was seen. */
  isCutOff: z.optional(z.boolean()),
  units: z.array(unitSchema),
  /** Present once the object is finished. */
  stored: z.optional(storedSchema),
});
export type ArchiveManifest = z.infer<typeof manifestSchema>;

/** Returns null if the bytes are not a valid manifest. */
export function decodeManifest(bytes: Uint8Array): ArchiveManifest | null {
  return parseManifest(manifestSchema, bytes);
}

/** Decided by EXT-X-MAP or magic bytes, not by the file extension (docs/twitch.md#segments). */
export function containerOf(playlist: SourceContent): Container {
  if (playlist.file !== undefined) return playlist.file.container;
  return playlist.inits.length === 0 ? "ts" : "fmp4";
}

/** Units in the order of bytes: each init section precedes the fragments that need it. */
export function unitsOf(playlist: SourceContent): readonly ArchiveUnit[] {
  const { file } = playlist;
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
      kind: file !== undefined ? "bytes" : segment.initIndex === null ? "ts" : "fmp4-fragment",
      url: segment.url,
      byteRange: segment.byteRange,
      segment: segment.index,
      durationSec: segment.durationSec,
      startsDiscontinuity: segment.startsDiscontinuity,
      isMuted: segment.isMuted,
      isGap: segment.isGap,
      ...(file === undefined ? {} : { version: file.version }),
    });
  }
  return units;
}

/** Twitch prints durations with three decimals; a larger difference means a different cut. */
const DURATION_TOLERANCE_SEC = 0.002;

/**
 * Whether a later playlist is the same recording, cut the same way. A shorter one is an outdated
 * copy, as caches have them. Muting may rename segments. The last segment of a growing broadcast may still get longer, so it is only
 * planned once another follows it or the playlist has ended.
 */
export function continues(planned: readonly ArchiveUnit[], later: readonly ArchiveUnit[]): boolean {
  return planned.every((unit, index) => {
    const other = later[index];
    return (
      other === undefined ||
      (other.kind === unit.kind &&
        other.segment === unit.segment &&
        isSameVersion(unit.version, other.version) &&
        Math.abs(other.durationSec - unit.durationSec) <= DURATION_TOLERANCE_SEC)
    );
  });
}

/** When the broadcast began; null for a direct URL, whose date is that of the file. */
export function recordedAtMs({ source }: Pick<ArchiveManifest, "source">): number | null {
  return source.kind === "twitch" ? Date.parse(source.createdAt) : null;
}

export function totalDurationSec(units: readonly ArchiveUnit[]): number {
  return units.reduce((sec, unit) => sec + unit.durationSec, 0);
}

/** One validator is enough: mirrors have different tags, or different times, for one file. */
export function isSameVersion(one: ArchiveUnit["version"], other: ArchiveUnit["version"]): boolean {
  if (one === undefined || other === undefined) return one === other;
  const isEqual = (validator: "etag" | "lastModified") =>
    one[validator] !== null && one[validator] === other[validator];
  return one.sizeBytes === other.sizeBytes && (isEqual("lastModified") || isEqual("etag"));
}

/** Whether the broadcast had ended at the last look; its last segments may still appear. */
export function hasEnded({ end }: Pick<ArchiveManifest, "end">): boolean {
  return end === "tail" || end === "final";
}

/** Whether the archive is a file of the source, without durations and without a playlist. */
export function isFile({ units }: Pick<ArchiveManifest, "units">): boolean {
  return units[0]?.kind === "bytes";
}

/** Exact for a file; else from BANDWIDTH, the peak bit rate, to which sources stay close. */
export function estimatedBytes({
  units,
  rendition,
}: Pick<ArchiveManifest, "units" | "rendition">): number {
  return (
    units.at(-1)?.version?.sizeBytes ??
    Math.round((rendition.bandwidthBitsPerSec / 8) * totalDurationSec(units))
  );
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

/** The bit rate may exceed the playlist's figure, and broadcasts grow while they are copied. */
const ESTIMATE_MARGIN = 1.3;

/** Twitch's limit for a broadcast, assumed while one is still growing. */
const LONGEST_VOD_SEC = 48 * 3_600;

/** The object of an archive, with a part size for its estimated size. */
export function newObject(manifest: ArchiveManifest, key: ObjectKey, runtime: Runtime): NewObject {
  const { container, rendition, source } = manifest;
  const estimate = hasEnded(manifest)
    ? estimatedBytes(manifest)
    : (rendition.bandwidthBitsPerSec / 8) * LONGEST_VOD_SEC;
  return {
    key,
    filename: archiveFilename(source.fileStem, container),
    contentType: contentType(container),
    partSizeBytes: choosePartSizeFor(estimate * ESTIMATE_MARGIN, runtime),
  };
}

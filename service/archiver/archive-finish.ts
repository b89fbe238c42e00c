import { partText } from "#contract/part.ts";
import type { TimeRange } from "#contract/upload.ts";
import type { ObjectKey } from "#contract/files.ts";
import { type Shortfall, shortfallText } from "#contract/shortfall.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { ByteRange, ObjectHead } from "#service/ports/object-store.ts";
import {
  writeByteRangePlaylist,
  type ByteRangeEntry,
} from "#service/source/byte-range-playlist.ts";
import { renditionLabel } from "#service/source/rendition-choice.ts";
import { vodOf } from "#service/storage/item-id.ts";
import { discardParts } from "#service/storage/discard.ts";
import { planPieceRemovals } from "#service/storage/store-removals.ts";
import { batchUnderLease } from "#service/storage/lease.ts";
import { describeProof, storeManifest } from "#service/storage/manifest.ts";
import { askStore, completeAndProve, type OpenMultipart } from "#service/storage/multipart.ts";
import { archiveFilename, contentType, type ArchiveKeys } from "#service/storage/object-keys.ts";
import type { StoredUnit } from "#service/storage/checkpoint.ts";
import { ArchiveFailed } from "#service/storage/run-end.ts";
import { recordFailure } from "#service/storage/run-failure.ts";
import { recordCompletion } from "#service/storage/run-outcome.ts";
import type { ArchiveRun } from "./archive-run.ts";
import type { CopiedArchive } from "./archive-copy.ts";
import { isFile, recordedAtMs, timeRanges, type ArchiveManifest } from "./archive-manifest.ts";
import { failureClassOfGaps, playbackGaps, type PlaybackGap } from "./playback-gaps.ts";
import { findShortfall, playlistDurationSec } from "./stated-duration.ts";

/** Writes the playlist, completes and proves the object, then writes the final manifest. */
export async function finishObject(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  copied: CopiedArchive,
  keys: ArchiveKeys,
  multipart: OpenMultipart,
): Promise<ObjectHead> {
  if (!isFile(manifest)) await storePlaylist(run, manifest, copied, keys);
  const head = await completeAndProve(run, multipart.handle, copied.parts);
  const proved = describeProof(run, head, multipart.partSizeBytes, copied.parts);
  const stored = { ...proved, units: [...copied.units] };
  const finished: ArchiveManifest = { ...manifest, stored };
  await storeManifest(run, keys.manifest, finished);
  return head;
}

async function storePlaylist(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  copied: CopiedArchive,
  keys: ArchiveKeys,
): Promise<void> {
  const playlist = archivePlaylist(manifest, copied.units, keys.object);
  await askStore(run, (objects) =>
    objects.put(keys.playlist, new TextEncoder().encode(playlist), {
      contentType: "application/vnd.apple.mpegurl",
      metadata: { uploadId: manifest.uploadId },
    }),
  );
  await batchUnderLease(run.context.platform.database, run.lease, [
    sql`UPDATE uploads SET playlist_key = ${keys.playlist} WHERE id = ${run.row.id}`,
  ]);
}

/** A playlist of byte ranges, so that the stored object can be played with seeking. */
function archivePlaylist(
  manifest: ArchiveManifest,
  units: readonly StoredUnit[],
  objectKey: ObjectKey,
): string {
  const entries: ByteRangeEntry[] = [];
  const gaps = playbackGaps(manifest.units, units);
  let offset = 0;
  let init: ByteRange | null = null;
  manifest.units.forEach((unit, index) => {
    const range = { offset, length: units[index]?.sizeBytes ?? 0 };
    offset += range.length;
    const isGap = gaps[index] !== null;
    if (unit.segment === null) {
      init = isGap ? null : range;
      return;
    }
    entries.push({
      durationSec: unit.durationSec,
      ...range,
      init: unit.kind === "fmp4-fragment" ? init : null,
      startsDiscontinuity: unit.startsDiscontinuity,
      isGap,
    });
  });
  return writeByteRangePlaylist({
    objectUri: objectKey.slice(objectKey.lastIndexOf("/") + 1),
    targetDurationSec: manifest.targetDurationSec,
    entries,
  });
}

/** Size of the partial file of an earlier run; 0 if there is none. */
export async function keptPartialBytes({ context, row }: ArchiveRun): Promise<number> {
  const [kept] = await context.platform.database.all(sql`
    SELECT size_bytes FROM files WHERE upload_id = ${row.id} AND upload_type <> 'chunk'`);
  return Number(kept?.size_bytes ?? 0);
}

/** A copied archive whose object, if there is one, is proved. */
export type FinishedArchive = {
  readonly manifest: ArchiveManifest;
  readonly copied: CopiedArchive;
  readonly keys: ArchiveKeys;
  /**
   * Null if no object was made: no bytes were copied, or no more than the partial file of an earlier
   * run has.
   */
  readonly head: ObjectHead | null;
  /** Of the partial file of an earlier run, which stays if there is no new object. */
  readonly keptBytes: number;
};

/** For an archive of which every segment is stored. */
export async function completeArchive(
  run: ArchiveRun,
  finished: FinishedArchive & { readonly head: ObjectHead },
): Promise<void> {
  const { manifest, keys, head } = finished;
  const shortfall = findShortfall(manifest);
  await recordCompletion(run, run.row, {
    head,
    columns: sql`playlist_key = ${isFile(manifest) ? null : keys.playlist}, manifest_key = ${keys.manifest},
      stated_duration_sec = ${shortfall?.statedDurationSec ?? null}`,
    file: archiveFileRow(run, finished, head, "complete"),
    alongside: shortfall === null ? [] : [shortfallEvent(run, manifest, shortfall)],
    title: `Archived: ${manifest.source.title}`,
    body: completedSentence(run),
  });
}

function shortfallEvent(
  { context, row, source }: ArchiveRun,
  manifest: ArchiveManifest,
  shortfall: Shortfall,
): Statement {
  return notificationEventIf(
    {
      type: "source_incomplete",
      subject: row.id,
      title: `Shorter than stated: ${manifest.source.title}`,
      body: `${shortfallText(shortfall, source.name)}.`,
      link: `/watch/${row.id}`,
    },
    context.platform.clock.now(),
    sql`TRUE`,
  );
}

/** For an archive with gaps, or one that was cut off: it fails, and names what is missing. */
export async function keepPartialFile(run: ArchiveRun, finished: FinishedArchive): Promise<void> {
  const { manifest, copied, head, keptBytes } = finished;
  const { row } = run;
  const nowMs = run.context.platform.clock.now();
  const gaps = playbackGaps(manifest.units, copied.units);
  const missing = timeRanges(manifest.units, (_, index) => gaps[index] !== null);
  await recordFailure(run, row, partialFailure(run.source.name, finished, gaps), [
    ...(head === null
      ? discardParts(row.id, nowMs)
      : [archiveFileRow(run, finished, head, "partial")]),
    sql`UPDATE uploads SET missing_ranges = ${JSON.stringify(missing)}, multipart_id = NULL,
        part_size_bytes = NULL, manifest_key = NULL, stored_bytes = ${head?.sizeBytes ?? keptBytes},
        progress = min(99.9, COALESCE(100.0 * segments_done / NULLIF(segments_total, 0), 0)),
        stated_duration_sec = ${findShortfall(manifest)?.statedDurationSec ?? null}
      WHERE id = ${row.id}`,
    sql`DELETE FROM upload_parts WHERE upload_id = ${row.id}`,
    ...planPieceRemovals(sql`upload_id = ${row.id}`, nowMs),
  ]);
}

function completedSentence({ progress, row, part }: ArchiveRun): string {
  const ofPart = part === null ? "" : `${partText(part)} of `;
  return row.kind === "twitch"
    ? `All ${progress.state.segmentsDone} segments of ${ofPart}VOD ${vodOf(row.vod_id)} are stored and proved.`
    : "Every byte of it is stored and proved.";
}

function partialFailure(
  source: string,
  { manifest, head, keptBytes }: FinishedArchive,
  gaps: readonly (PlaybackGap | null)[],
): ArchiveFailed {
  const { units, rendition, isCutOff = false } = manifest;
  const shortfall = findShortfall(manifest);
  const rangesOf = (gap: PlaybackGap) =>
    formatTimeRanges(timeRanges(units, (_, index) => gaps[index] === gap));
  const missing = rangesOf("missing");
  const lacking = rangesOf("lacks_init");
  const damaged = rangesOf("damaged");
  const isKept = head !== null || keptBytes > 0;
  const isAllMissing = !isKept && lacking === "" && damaged === "";
  const sentences = [
    isCutOff ? `${source} no longer has this broadcast, and its end was not seen.` : "",
    missing === ""
      ? ""
      : `${source} no longer has ${isAllMissing ? `any of it (${missing})` : missing}.`,
    lacking === "" ? "" : `${source} has no usable init section for ${lacking}.`,
    damaged === "" ? "" : `Damaged at the source: ${damaged}.`,
    isKept ? "What there was is kept as a partial file." : "",
    isKept && head === null ? "Nothing more was there." : "",
    shortfall === null ? "" : `${shortfallText(shortfall, source)}.`,
    rendition.isRemoved === true
      ? `${source} removed ${renditionLabel(rendition) ?? rendition.name}; a retry copies what it still offers.`
      : "",
  ];
  return new ArchiveFailed(
    isCutOff ? "gone_at_source" : failureClassOfGaps(gaps),
    sentences.filter((each) => each !== "").join(" "),
  );
}

/** Further ranges are only counted, to keep the message readable. */
const MAX_LISTED = 10;

/** "00:12:30-00:12:50 and 01:00:00-01:00:10" */
function formatTimeRanges(ranges: readonly TimeRange[]): string {
  const listed = ranges
    .slice(0, MAX_LISTED)
    .map(({ startSec, endSec }) => `${clockText(startSec)}-${clockText(endSec)}`);
  const more = ranges.length - listed.length;
  if (more > 0) listed.push(`${more} more ${more === 1 ? "stretch" : "stretches"}`);
  const last = listed.pop() ?? "";
  return listed.length === 0 ? last : `${listed.join(", ")} and ${last}`;
}

function clockText(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** What the File Browser shows of an archive besides its size and key. */
export function archiveFileMetadata(
  manifest: ArchiveManifest,
  keys: ArchiveKeys,
  tag: string,
): Readonly<Record<string, unknown>> {
  const { source, rendition, container, units } = manifest;
  const shortfall = findShortfall(manifest);
  const initSegments = units.filter((unit) => unit.kind === "fmp4-init").length;
  return {
    title: source.title,
    rendition: rendition.name,
    resolution: rendition.resolution,
    codecs: rendition.codecs,
    framesPerSec: rendition.framesPerSec,
    ...(rendition.withheld ? { withheldRendition: rendition.withheld } : {}),
    durationSec: playlistDurationSec(manifest) ?? source.durationSec,
    ...(shortfall === null ? {} : { statedDurationSec: shortfall.statedDurationSec }),
    ...(source.chapters === undefined ? {} : { chapters: source.chapters }),
    container,
    // Most players fail at a second init section, because an MP4 file should have only one.
    ...(initSegments > 1 ? { initSegments } : {}),
    tag,
    ...(isFile({ units }) ? {} : { playlistKey: keys.playlist }),
  };
}

/** Turns the row that stood for the parts into the row of the file. */
function archiveFileRow(
  { context, row }: ArchiveRun,
  { manifest, keys }: FinishedArchive,
  head: ObjectHead,
  status: "complete" | "partial",
): Statement {
  const { source, container } = manifest;
  const metadata = JSON.stringify(archiveFileMetadata(manifest, keys, head.tag));
  return sql`
    INSERT INTO files (object_key, upload_id, user_id, vod_id, filename, size_bytes, upload_type,
      status, content_type, metadata, last_modified_at, recorded_at)
    VALUES (${keys.object}, ${row.id}, ${row.owner_id}, ${row.vod_id},
      ${archiveFilename(source.fileStem, container)}, ${head.sizeBytes}, ${row.kind},
      ${status}, ${contentType(container)}, ${metadata}, ${context.platform.clock.now()},
      ${recordedAtMs(manifest)})
    ON CONFLICT (object_key) DO UPDATE SET size_bytes = excluded.size_bytes,
      upload_type = excluded.upload_type, status = excluded.status,
      filename = excluded.filename, metadata = excluded.metadata,
      last_modified_at = excluded.last_modified_at, recorded_at = excluded.recorded_at,
      trashed_at = NULL, trash_until = NULL, trashed_by = NULL`;
}

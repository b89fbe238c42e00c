import type { TimeRange } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import { discardParts } from "#service/storage/discard.ts";
import type { ArchiveKeys } from "#service/storage/object-keys.ts";
import { ArchiveFailed } from "#service/storage/run-end.ts";
import { hasEnded, recordCompletion, recordFailure } from "#service/storage/run-outcome.ts";
import type { ArchiveRun } from "./archive-context.ts";
import type { CopiedArchive } from "./archive-copy.ts";
import { archiveFileRow } from "./archive-file.ts";
import { isFile, timeRanges, type ArchiveManifest } from "./archive-manifest.ts";
import type { ArchiveRow } from "./archive-row.ts";

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
  readonly hasChat: boolean;
};

/** For an archive of which every segment is stored. */
export async function completeArchive(
  run: ArchiveRun,
  row: ArchiveRow,
  { manifest, keys, hasChat, head }: FinishedArchive & { readonly head: ObjectHead },
): Promise<void> {
  const isDone = hasEnded(run.lease, "completed");
  const nowMs = run.context.platform.clock.now();
  await recordCompletion(run, row, {
    head,
    columns: sql`playlist_key = ${isFile(manifest) ? null : keys.playlist}, manifest_key = ${keys.manifest},
      chat_key = ${hasChat ? keys.chat : null}`,
    file: archiveFileRow(row, manifest, keys, head, "complete", nowMs, isDone),
    title: `Archived: ${manifest.source.title}`,
    body: completedSentence(run, row),
  });
}

/** For an archive of which the source no longer had every segment: it fails, and names the gaps. */
export async function keepPartialFile(
  run: ArchiveRun,
  row: ArchiveRow,
  { manifest, copied, keys, head, hasChat }: FinishedArchive,
): Promise<void> {
  const nowMs = run.context.platform.clock.now();
  const missing = timeRanges(manifest.units, (_, index) => copied.units[index]?.isMissing ?? true);
  const isDone = hasEnded(run.lease, "failed");
  await recordFailure(
    run,
    row,
    new ArchiveFailed("gone_at_source", missingSentence(run.source.name, missing, head !== null)),
    [
      ...(head === null
        ? discardParts(row.id, nowMs, isDone)
        : [archiveFileRow(row, manifest, keys, head, "partial", nowMs, isDone)]),
      sql`UPDATE uploads SET missing_ranges = ${JSON.stringify(missing)}, multipart_id = NULL,
          part_size_bytes = NULL, manifest_key = NULL, stored_bytes = ${head?.sizeBytes ?? 0},
          progress = COALESCE(100.0 * segments_done / NULLIF(segments_total, 0), 0),
          chat_key = COALESCE(${hasChat ? keys.chat : null}, chat_key)
        WHERE id = ${row.id} AND ${isDone}`,
      sql`DELETE FROM upload_parts WHERE upload_id = ${row.id} AND ${isDone}`,
    ],
  );
}

function completedSentence({ progress }: ArchiveRun, row: ArchiveRow): string {
  return row.kind === "twitch"
    ? `All ${progress.state.segmentsDone} segments of VOD ${row.vod_id} are stored and proved.`
    : "Every byte of it is stored and proved.";
}

function missingSentence(
  source: string,
  missing: ReturnType<typeof timeRanges>,
  isKept: boolean,
): string {
  const ranges = formatTimeRanges(missing);
  return isKept
    ? `${source} no longer has ${ranges}. What there was is kept as a partial file.`
    : `${source} no longer has any of it (${ranges}).`;
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

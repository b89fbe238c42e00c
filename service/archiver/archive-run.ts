import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import { sizeOfParts } from "#service/storage/checkpoint.ts";
import { discardParts } from "#service/storage/discard.ts";
import { batchUnderLease, isLeased, leaseGuard, type TakenLease } from "#service/storage/lease.ts";
import { runUnderLease } from "#service/storage/lease-run.ts";
import { openMultipart, type OpenMultipart } from "#service/storage/multipart.ts";
import type { ArchiveKeys } from "#service/storage/object-keys.ts";
import { createProgress, type ProgressState } from "#service/storage/progress.ts";
import { completeAndProve } from "#service/storage/proof.ts";
import { ArchiveFailed, StartOver, TryLater, type Culprit } from "#service/storage/run-end.ts";
import { recordRunEnd, type RunEnd } from "#service/storage/run-outcome.ts";
import { askStore } from "#service/storage/store-retries.ts";
import type { Source, Sources } from "#service/source/source.ts";
import { copyUnits, type CopiedArchive } from "./archive-copy.ts";
import { completeArchive, keepPartialFile } from "./archive-finish.ts";
import type { ArchiveRun, RunControl } from "./archive-context.ts";
import { newObject } from "./archive-file.ts";
import { isFile, type ArchiveManifest } from "./archive-manifest.ts";
import { keysOf, openPlan, storeManifest } from "./archive-plan.ts";
import { readArchiveChapters } from "./archive-extras.ts";
import { archivePictures } from "./archive-pictures.ts";
import { archivePlaylist } from "./archive-playlist.ts";
import { archiveRow, type ArchiveRow } from "./archive-row.ts";
import { archiveChat } from "./chat-archive.ts";

/**
 * One run of an archive under its lease. It passes through these phases:
 *
 * - `planning`: asks the source and freezes its playlist as a manifest (archive-plan.ts);
 * - `copying`: fetches segments, cuts them into parts and stores each part (archive-copy.ts);
 * - `chat`: copies the chat replay, if there is one (chat-archive.ts);
 * - `proving`: completes the object and compares it with its parts (storage/proof.ts).
 *
 * It ends as storage/run-outcome.ts lists. The next run starts at `planning` with the same manifest
 * and resumes `copying` at the last checkpoint. A run whose stored parts cannot be continued
 * discards them and starts over.
 */

/** A run fails if it has to start over this many times. */
const MAX_FRESH_STARTS = 3;

const STORE_TROUBLE: ReadonlySet<Culprit> = new Set(["storage", "space", "access"]);

/** Continues one upload until it ends, waits or is handed over, and records the outcome. */
export async function runArchive(
  context: ServiceContext,
  sources: Sources,
  lease: TakenLease,
  control: RunControl,
): Promise<RunEnd> {
  const row = archiveRow.parse(lease.row);
  const progress = createProgress(context.platform, lease, stateOf(row), row.progress_history);
  const supervision = {
    progress,
    signal: control.signal,
    stallAfterMs: context.settings.STALL_AFTER_MS,
  };
  try {
    await runUnderLease(context.platform.clock, supervision, (signal) =>
      archive(
        { ...control, context, source: sourceOf(sources, row), lease, progress, signal },
        row,
      ),
    );
    return "finished";
  } catch (error) {
    const end = await recordRunEnd({ context, lease }, row, error);
    if (error instanceof TryLater && STORE_TROUBLE.has(error.culprit))
      control.onStoreTrouble(error.message);
    return end;
  }
}

function sourceOf(sources: Sources, { id, kind }: ArchiveRow): Source {
  const source = sources[kind];
  if (source === undefined) throw new Error(`No source of kind ${kind} for upload ${id}`);
  return source;
}

function stateOf(row: ArchiveRow): ProgressState {
  const isResumed = row.manifest_key !== null;
  return {
    phase: "planning",
    segmentsDone: isResumed ? row.segments_done : 0,
    lastSegment: isResumed ? row.last_segment : null,
    bytesDone: 0,
    done: 0,
    total: 0,
    segmentsTotal: null,
    durationTotalSec: null,
    estimatedBytes: row.source_bytes,
    mutedRanges: row.muted_ranges,
    missingRanges: row.missing_ranges,
    reachedPercentage: isResumed ? row.progress : 0,
  };
}

async function archive(run: ArchiveRun, firstRow: ArchiveRow): Promise<void> {
  let row = firstRow;
  for (let starts = 1; ; starts += 1) {
    try {
      return await archiveFrom(run, row);
    } catch (error) {
      if (!(error instanceof StartOver)) throw error;
      if (starts >= MAX_FRESH_STARTS)
        throw new ArchiveFailed("source_corrupt", `${error.message}, ${starts} times in a row.`, {
          cause: error,
        });
      row = await startOver(run, row, error.message);
    }
  }
}

type OpenArchive = {
  readonly manifest: ArchiveManifest;
  readonly keys: ArchiveKeys;
  readonly multipart: OpenMultipart;
};

async function archiveFrom(run: ArchiveRun, row: ArchiveRow): Promise<void> {
  const manifest = await openPlan(run, row);
  const keys = keysOf(row, manifest);
  const multipart = await openMultipart(
    run,
    row,
    newObject(manifest, keys.object, run.context.platform.runtime),
  );
  const stopping = new AbortController();
  const signal = AbortSignal.any([run.signal, stopping.signal]);
  const storePictures = () => archivePictures({ ...run, signal }, row, keys);
  // The first run fetches pictures beside the media; the last one those that are still missing.
  const isEarly = row.manifest_key === null && manifest.agreeingPolls > 0;
  let pictures = isEarly ? storePictures() : null;
  try {
    await copyAndFinish(run, row, { manifest, keys, multipart }, () => {
      pictures ??= storePictures();
      return pictures;
    });
  } finally {
    stopping.abort(new Error("The run has ended"));
    await pictures;
  }
}

async function copyAndFinish(
  run: ArchiveRun,
  row: ArchiveRow,
  { manifest, keys, multipart }: OpenArchive,
  picturesStored: () => Promise<void>,
): Promise<void> {
  async function enter(phase: ProgressState["phase"]): Promise<void> {
    run.progress.state.phase = phase;
    await run.progress.flush();
  }

  await enter("copying");
  const copied = await copyUnits(run, row, manifest, multipart);
  run.outlastSlice();
  const isWhole = copied.units.every((unit) => !unit.isMissing);
  if (!isWhole && !(await isWorthKeeping(run, row, copied)))
    return keepPartialFile(run, row, { manifest, copied, keys, head: null, hasChat: false });
  await enter("chat");
  const [hasChat, chapters] = await Promise.all([
    archiveChat(run, manifest, keys.chat),
    readArchiveChapters(run, manifest.source.reference),
    picturesStored(),
  ]);
  const final =
    chapters.length === 0
      ? manifest
      : { ...manifest, source: { ...manifest.source, chapters: [...chapters] } };
  await enter("proving");
  const head = await finishObject(run, final, copied, keys, multipart);
  const finished = { manifest: final, copied, keys, head, hasChat };
  await (isWhole ? completeArchive(run, row, finished) : keepPartialFile(run, row, finished));
}

/** Discards the plan and everything stored so far; `reason` is shown until a part is stored. */
async function startOver(
  { context, lease, progress }: ArchiveRun,
  row: ArchiveRow,
  reason: string,
): Promise<ArchiveRow> {
  const { clock, database } = context.platform;
  context.log.warn("An archive starts over", { uploadId: row.id, reason });
  await batchUnderLease(database, [
    sql`UPDATE uploads SET error_message = ${`${reason}. The copy begins again.`},
        part_size_bytes = NULL, manifest_key = NULL, stored_bytes = 0, segments_done = 0,
        progress = 0, missing_ranges = '[]'
      WHERE ${leaseGuard(lease)}`,
    ...discardParts(row.id, clock.now(), isLeased(lease)),
  ]);
  const fresh = { ...row, manifest_key: null, multipart_id: null, part_size_bytes: null };
  Object.assign(progress.state, { ...stateOf(fresh), missingRanges: [] });
  return fresh;
}

/** Whether a partial copy is larger than the partial file of an earlier run, and not empty. */
async function isWorthKeeping(
  { context }: ArchiveRun,
  row: ArchiveRow,
  copied: CopiedArchive,
): Promise<boolean> {
  const [kept] = await context.platform.database.all(sql`
    SELECT size_bytes FROM files WHERE upload_id = ${row.id} AND upload_type <> 'chunk'`);
  return sizeOfParts(copied.parts) > Number(kept?.size_bytes ?? 0);
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
  await batchUnderLease(run.context.platform.database, [
    sql`UPDATE uploads SET playlist_key = ${keys.playlist} WHERE ${leaseGuard(run.lease)}`,
  ]);
}

/** Writes the playlist, completes and proves the object, then writes the final manifest. */
async function finishObject(
  run: ArchiveRun,
  manifest: ArchiveManifest,
  copied: CopiedArchive,
  keys: ArchiveKeys,
  multipart: OpenMultipart,
): Promise<ObjectHead> {
  const { platform } = run.context;
  if (!isFile(manifest)) await storePlaylist(run, manifest, copied, keys);
  const head = await completeAndProve(run, multipart, copied.parts);
  await storeManifest(run, keys.manifest, {
    ...manifest,
    stored: {
      sizeBytes: head.sizeBytes,
      tag: head.tag,
      tagAlgorithm: platform.objects.partTagAlgorithm,
      partSizeBytes: multipart.partSizeBytes,
      partSha256: copied.parts.map((part) => part.sha256),
      units: [...copied.units],
    },
  });
  return head;
}

import { objectKeySchema } from "#contract/files.ts";
import type { Part } from "#contract/part.ts";
import { qualitySchema } from "#contract/quality.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { timeRangeSchema, uploadKindSchema } from "#contract/upload.ts";
import type { ServiceContext } from "#service/context.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import { requireRoom } from "#service/space/archive-room.ts";
import { discardParts } from "#service/storage/discard.ts";
import { partOf, vodOf } from "#service/storage/item-id.ts";
import { batchUnderLease, type TakenLease } from "#service/storage/lease.ts";
import {
  createProgress,
  runUnderLease,
  type Progress,
  type ProgressState,
} from "#service/storage/lease-run.ts";
import { idsOf } from "#service/storage/log-ids.ts";
import { openMultipart } from "#service/storage/multipart.ts";
import {
  ArchiveFailed,
  type FailureOrigin,
  refuseLostStarts,
  StartOver,
  TryLater,
} from "#service/storage/run-end.ts";
import { recordRunEnd } from "#service/storage/run-outcome.ts";
import { historySchema } from "#service/storage/upload-row.ts";
import type { Source, Sources } from "#service/source/source.ts";
import { sizeOfParts } from "#service/storage/checkpoint.ts";
import { copyUnits } from "./archive-copy.ts";
import { archiveExtras } from "./archive-extras.ts";
import {
  completeArchive,
  finishObject,
  keepPartialFile,
  keptPartialBytes,
} from "./archive-finish.ts";
import { hasEnded, newObject, rightsSchema } from "./archive-manifest.ts";
import { keysOf, openPlan } from "./archive-plan.ts";
import * as z from "zod/mini";

/**
 * One run of an archive under its lease.
 *
 * States, in this order (the upload's `phase`; `waiting` is shown while the source or the store does
 * not answer, and between two runs):
 * - `planning`: asks the source and freezes its playlist as a manifest (archive-plan.ts);
 * - `copying`: fetches segments, cuts them into parts and stores each part (archive-copy.ts), until
 *   nothing follows the plan (archive-growth.ts);
 * - `proving`: completes the object and compares it with its parts (archive-finish.ts).
 *
 * Existence (source/existence.ts) and end (source/broadcast-end.ts) have states of their own, which
 * outlive a run: the first in the upload's row, the second in the manifest.
 *
 * A run ends completed, failed, waiting, handed over or lost (storage/run-outcome.ts). The next run
 * starts at `planning` with the same manifest and resumes `copying` after the last recorded part. A
 * run whose stored parts cannot be continued discards them and starts over.
 *
 * Who aborts whom, from the outside in. Each abort also aborts everything below it, and the run ends
 * with its reason:
 * 1. The slice (archiver.ts): an administrator cancels, retries or deletes the upload
 *    (`LeaseLost`: the batch of that action planned the removal of what is stored); or the time of
 *    the slice, of the longest run or of a handover is over (`HandedOver`: the part being filled is
 *    lost, and the next run continues).
 * 2. The lease (storage/lease-run.ts): a write found the lease taken (`LeaseLost`: nothing more is
 *    written, and strays of a cancelled or deleted upload are removed); nothing arrived for the
 *    stall timeout (`Stalled`: flagged and handed over, the second time failed). A run that ignores
 *    its abort for two seconds is abandoned; what it still stores has no record.
 * 3. Chapters and pictures (here): the run has ended. They are read again by the next run.
 * 4. The copy (archive-copy.ts): it has ended. Parts that the store had confirmed are recorded,
 *    unless the lease is lost; parts in flight are stored again by the next run.
 * 5. Fetching ahead (fetch-ahead.ts): the plan grew or the copy has ended. Fetched segments are
 *    dropped.
 */

/** The columns of an upload that a run needs, returned when its lease is taken. */
export const archiveRow = z.object({
  id: uploadIdSchema,
  kind: uploadKindSchema,
  vod_id: z.string(),
  source_url: z.nullable(z.string()),
  quality: qualitySchema,
  owner_id: z.string(),
  filename: z.string(),
  title: z.nullable(z.string()),
  rights: rightsSchema,
  consent_text_version: z.nullable(z.number()),
  object_key: z.nullable(objectKeySchema),
  manifest_key: z.nullable(objectKeySchema),
  multipart_id: z.nullable(z.string()),
  part_size_bytes: z.nullable(z.number()),
  retry_count: z.number(),
  max_retries: z.number(),
  started_at: z.nullable(z.number()),
  failed_at: z.nullable(z.number()),
  stall_count: z.number(),
  lost_starts: z.number(),
  absent_since_at: z.nullable(z.number()),
  source_bytes: z.nullable(z.number()),
  progress: z.number(),
  segments_done: z.number(),
  last_segment: z.nullable(z.number()),
  progress_history: jsonText(historySchema),
  muted_ranges: jsonText(z.array(timeRangeSchema)),
  missing_ranges: jsonText(z.array(timeRangeSchema)),
});
export type ArchiveRow = z.infer<typeof archiveRow>;

/** How the archiver steers a run. */
export type RunControl = {
  /** Aborts with `LeaseLost` when the upload was taken away, `HandedOver` when time is up. */
  readonly signal: AbortSignal;
  /** True when the run should end at its next checkpoint. */
  readonly isHandoverDue: () => boolean;
  /**
   * Call before work that cannot be handed over halfway: all bytes are stored, or the source may be
   * damaged. A later checkpoint still hands over.
   */
  readonly extendRun: () => void;
  /** Current memory limit of this archive: the host's limit divided among the running archives. */
  readonly memoryBytes: () => number;
  /** Called with a sentence when the run ends because of the store. */
  readonly onStoreProblem: (reason: string) => void;
};

/** What every step of one run works with. */
export type ArchiveRun = RunControl & {
  readonly context: ServiceContext;
  readonly row: ArchiveRow;
  /** The text by which the source finds the item. */
  readonly reference: string;
  /** What of the item is archived; null for all of it. */
  readonly part: Part | null;
  readonly source: Source;
  readonly lease: TakenLease;
  readonly progress: Progress;
  /** When all interfaces of the source first said that the item does not exist (existence.ts). */
  readonly absence: { sinceMs: number | null };
};

/** A run fails if it has to start over this many times. */
const MAX_FRESH_STARTS = 3;

const STORE_ORIGINS: ReadonlySet<FailureOrigin> = new Set(["storage", "space", "access"]);

/**
 * Continues one upload until it ends, waits or is handed over, and records the outcome. Resolves
 * with whether it was handed over.
 */
export async function runArchive(
  context: ServiceContext,
  sources: Sources,
  lease: TakenLease,
  control: RunControl,
): Promise<boolean> {
  const row = archiveRow.parse(lease.row);
  const isBegun = row.manifest_key !== null;
  context.log[isBegun ? "debug" : "info"](`An archive ${isBegun ? "continues" : "begins"}`, {
    ...idsOf(row),
    run: lease.epoch,
  });
  const progress = createProgress(context.platform, lease, stateOf(row), row.progress_history);
  const supervision = {
    progress,
    signal: control.signal,
    stallAfterMs: context.settings.STALL_AFTER_MS,
  };
  try {
    await runUnderLease(context.platform.clock, supervision, (signal) =>
      archive({
        ...control,
        context,
        row,
        reference: row.source_url ?? vodOf(row.vod_id),
        part: partOf(row.vod_id),
        source: sourceOf(sources, row),
        lease,
        progress,
        absence: { sinceMs: row.absent_since_at },
        signal,
      }),
    );
    return false;
  } catch (error) {
    const isHandedOver = await recordRunEnd({ context, lease }, row, error);
    if (error instanceof TryLater && STORE_ORIGINS.has(error.origin))
      control.onStoreProblem(error.message);
    return isHandedOver;
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

async function archive(firstRun: ArchiveRun): Promise<void> {
  refuseLostStarts(firstRun.row);
  let run = firstRun;
  for (let starts = 1; ; starts += 1) {
    try {
      return await archiveFromCheckpoint(run);
    } catch (error) {
      if (!(error instanceof StartOver)) throw error;
      if (starts >= MAX_FRESH_STARTS)
        throw new ArchiveFailed("source_corrupt", `${error.message}, ${starts} times in a row.`, {
          cause: error,
        });
      run = { ...run, row: await startOver(run, error.message) };
    }
  }
}

async function archiveFromCheckpoint(run: ArchiveRun): Promise<void> {
  const { row } = run;
  const manifest = await openPlan(run);
  await requireRoom(run.context, row.id, "before copying");
  // From here on others leave room for this one.
  await enter(run, "copying");
  const keys = keysOf(row, manifest);
  const { runtime } = run.context.platform;
  const multipart = await openMultipart(run, row, newObject(manifest, keys.object, runtime));
  const stopping = new AbortController();
  const signal = AbortSignal.any([run.signal, stopping.signal]);
  const readExtras = () => archiveExtras({ ...run, signal }, manifest, keys);
  // Beside the media in the first run, and once more at the end of the last.
  const isEarly = row.manifest_key === null && hasEnded(manifest);
  const extras = isEarly ? readExtras() : null;
  try {
    const copied = await copyUnits(run, manifest, multipart);
    run.extendRun();
    const isWhole = manifest.isCutOff !== true && copied.units.every((unit) => !unit.isMissing);
    const keptBytes = await keptPartialBytes(run);
    if (!isWhole && sizeOfParts(copied.parts) <= keptBytes)
      return await keepPartialFile(run, { manifest, copied, keys, head: null, keptBytes });
    await extras;
    await readExtras();
    await enter(run, "proving");
    const head = await finishObject(run, manifest, copied, keys, multipart);
    const finished = { manifest, copied, keys, head, keptBytes };
    await (isWhole ? completeArchive(run, finished) : keepPartialFile(run, finished));
  } finally {
    stopping.abort(new Error("The run has ended"));
    await extras;
  }
}

async function enter({ progress }: ArchiveRun, phase: ProgressState["phase"]): Promise<void> {
  progress.state.phase = phase;
  await progress.flush();
}

/** Discards the plan and everything stored so far; `reason` is shown until a part is stored. */
async function startOver(
  { context, lease, progress, row }: ArchiveRun,
  reason: string,
): Promise<ArchiveRow> {
  const { clock, database } = context.platform;
  context.log.warn("An archive starts over", { ...idsOf(row), reason });
  await batchUnderLease(database, lease, [
    sql`UPDATE uploads SET error_message = ${`${reason}. The copy begins again.`},
        part_size_bytes = NULL, manifest_key = NULL, stored_bytes = 0, segments_done = 0,
        progress = 0, missing_ranges = '[]'
      WHERE id = ${row.id}`,
    ...discardParts(row.id, clock.now()),
  ]);
  const fresh = { ...row, manifest_key: null, multipart_id: null, part_size_bytes: null };
  Object.assign(progress.state, { ...stateOf(fresh), missingRanges: [] });
  return fresh;
}

import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { auditEntryIfChanged } from "#service/audit/audit-entry.ts";
import { sql } from "#service/db/sql.ts";
import { notificationEventIfChanged } from "#service/notifications/notification-event.ts";
import type { Statement } from "#service/ports/database.ts";
import { SourceError } from "#service/hls/source-error.ts";
import type { VodSource } from "#service/twitch/twitch-client.ts";
import { publishUpload } from "#service/uploads/upload-events.ts";
import { recordFailure, recordGrowthWait, recordWait } from "./archive-finish.ts";
import { createArchiveProgress, type ArchiveProgress } from "./archive-progress.ts";
import { readArchiveRow, type ArchiveRow } from "./archive-row.ts";
import { removeLeftovers } from "./leftovers.ts";
import {
  ArchiveFailed,
  AwaitGrowth,
  type Culprit,
  HandedOver,
  LeaseLost,
  TryLater,
} from "./run-end.ts";
import { holds, LEASE_MS, releaseLease, type UploadLease } from "./upload-lease.ts";
import { runWatched, Stalled, type SliceControl } from "./watched-run.ts";

export type SliceEnd = "finished" | "waiting" | "handed_over" | "lost";

const STORE_TROUBLE: ReadonlySet<Culprit> = new Set(["storage", "space", "access"]);

/**
 * Runs one upload under its lease until it ends, waits or is handed over, and records the outcome.
 * After a first stall the run starts again under a new epoch; a second stall fails the upload.
 */
export async function runSlice(
  context: ServiceContext,
  source: VodSource,
  firstLease: UploadLease,
  control: SliceControl,
): Promise<SliceEnd> {
  let lease = firstLease;
  for (;;) {
    const row = await readRow(context, lease);
    if (row === null) return "lost";
    const progress = openProgress(context, lease, row);
    try {
      await runWatched(context, source, lease, progress, control);
      return "finished";
    } catch (error) {
      if (error instanceof Stalled) {
        const next = await takeOverStalled(context, lease, row, error.message);
        if (next === null) return "finished";
        lease = next;
        continue;
      }
      const end = await recordEnd(context, lease, row, error);
      if (end === "lost") await removeLeftovers(context, row);
      if (error instanceof TryLater && STORE_TROUBLE.has(error.culprit))
        control.onStoreTrouble(error.message);
      return end;
    }
  }
}

async function readRow(context: ServiceContext, lease: UploadLease): Promise<ArchiveRow | null> {
  try {
    return await readArchiveRow(context.platform.database, lease);
  } catch (error) {
    if (error instanceof LeaseLost) return null;
    throw error;
  }
}

function openProgress(
  context: ServiceContext,
  lease: UploadLease,
  row: ArchiveRow,
): ArchiveProgress {
  const goesOn = row.manifest_key !== null;
  return createArchiveProgress(
    context.platform,
    lease,
    {
      phase: "planning",
      segmentsDone: goesOn ? row.segments_done : 0,
      lastSegment: goesOn ? row.last_segment : null,
      durationDoneSec: 0,
      bytesDone: 0,
      segmentsTotal: null,
      durationTotalSec: null,
      estimatedBytes: row.source_bytes,
      mutedRanges: row.muted_ranges,
      missingRanges: row.missing_ranges,
      reachedPercentage: goesOn ? row.progress : 0,
    },
    row.progress_history,
  );
}

const stallCountRow = z.object({ epoch: z.number(), stall_count: z.number() });

/**
 * Returns the new lease, or null when this was the second stall and the upload has failed. The
 * first stall sends a stall notification; the second one sends only that of the failure.
 */
async function takeOverStalled(
  context: ServiceContext,
  lease: UploadLease,
  row: ArchiveRow,
  reason: string,
): Promise<UploadLease | null> {
  const { platform } = context;
  const nowMs = platform.clock.now();
  const [taken] = await platform.database.batch([
    sql`UPDATE uploads SET epoch = epoch + 1, stall_count = stall_count + 1,
        stalled_at = ${nowMs}, stall_reason = ${reason}, speed_bytes_per_sec = NULL,
        lease_until = ${nowMs + LEASE_MS}, version = version + 1, updated_at = ${nowMs}
      WHERE ${holds(lease)} RETURNING epoch, stall_count`,
    auditEntryIfChanged({
      atMs: nowMs,
      actorId: null,
      action: "upload.stall",
      target: row.id,
      result: "done",
      reason,
    }),
    ...(row.stall_count > 0 ? [] : [stallEvent(row, reason, nowMs)]),
  ]);
  const found = taken?.rows[0];
  if (found === undefined) return null;
  const { epoch, stall_count: stallCount } = stallCountRow.parse(found);
  await publishUpload(platform, row.id);
  const next = { uploadId: lease.uploadId, epoch };
  if (stallCount < 2) return next;
  await recordFailure(
    { context, lease: next },
    row,
    new ArchiveFailed("try_later", `${reason} It was the second time.`),
  );
  return null;
}

function stallEvent(row: ArchiveRow, reason: string, nowMs: number): Statement {
  return notificationEventIfChanged(
    {
      type: "upload_stalled",
      subject: row.id,
      title: `Stalled: ${row.filename}`,
      body: reason,
      link: `/uploads?upload=${row.id}`,
    },
    nowMs,
  );
}

/** Records the end of a run. Unexpected errors count as internal and are logged as errors. */
async function recordEnd(
  context: ServiceContext,
  lease: UploadLease,
  row: ArchiveRow,
  error: unknown,
): Promise<SliceEnd> {
  try {
    if (error instanceof LeaseLost) return "lost";
    if (error instanceof HandedOver) {
      await releaseLease(context.platform, lease);
      return "handed_over";
    }
    if (error instanceof AwaitGrowth) {
      await recordGrowthWait({ context, lease }, row, error);
      return "waiting";
    }
    if (error instanceof TryLater) {
      context.log.info("An archive waits", { uploadId: row.id, reason: error.message });
      await recordWait({ context, lease }, row, error);
      return "waiting";
    }
    if (error instanceof ArchiveFailed || error instanceof SourceError) {
      context.log.warn("An archive failed", { uploadId: row.id, error });
      await recordFailure({ context, lease }, row, asFailure(error));
      return "finished";
    }
    context.log.error("An archive ended by a fault of ours", { uploadId: row.id, error });
    await recordWait(
      { context, lease },
      row,
      new TryLater("ours", "An error of ours interrupted the copy; it is tried again.", {
        cause: error,
      }),
    );
    return "waiting";
  } catch (late) {
    if (late instanceof LeaseLost) return "lost";
    throw late;
  }
}

function asFailure(error: ArchiveFailed | SourceError): ArchiveFailed {
  return error instanceof ArchiveFailed
    ? error
    : new ArchiveFailed(error.failureClass, error.message, { cause: error });
}

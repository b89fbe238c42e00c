import { recordedChange, type ChangeRecord } from "#service/changes/recorded-change.ts";
import { sql } from "#service/db/sql.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import type { Statement } from "#service/ports/database.ts";
import { removeStrayObjects } from "./discard.ts";
import { idsOf } from "./log-ids.ts";
import { batchUnderLease, endLease, LeaseLost } from "./lease.ts";
import { ArchiveFailed, AwaitGrowth, HandedOver, Stalled, TryLater } from "./run-end.ts";
import {
  recordFailure,
  runAudit,
  titleOf,
  type LeasedRun,
  type RunningUpload,
} from "./run-failure.ts";
import { recordGrowthWait, recordWait } from "./run-wait.ts";
import { planPieceRemovals } from "./store-removals.ts";
import { publishUpload } from "./upload-events.ts";
import { checkStoredVod } from "./upload-vod.ts";

/**
 * Records how a run ended, in one batch that only the holder of the lease can write. A run ends as
 * - completed: {@link recordCompletion}, once the object is proved;
 * - failed: {@link recordFailure}; a retry resumes at the checkpoint;
 * - waiting: {@link recordWait}; the next attempt is due at a recorded time;
 * - handed over: the lease is released, and another run continues as soon as there is a place;
 * - lost: somebody else has the upload, so nothing more is written.
 *
 * {@link recordRunEnd} handles each of the errors in run-end.ts.
 */

/**
 * Records the end of a run by the error that ended it. Unexpected errors count as internal. Resolves
 * with whether the upload was handed over.
 */
export async function recordRunEnd(
  run: LeasedRun,
  upload: RunningUpload,
  error: unknown,
): Promise<boolean> {
  const { context, lease } = run;
  const { clock, database } = context.platform;
  try {
    if (error instanceof LeaseLost) throw error;
    if (error instanceof HandedOver) {
      await batchUnderLease(database, lease, [endLease(lease, clock.now())]);
      await publishUpload(context.platform, upload.id);
      return true;
    }
    if (error instanceof Stalled) return await recordStall(run, upload, error.message);
    if (error instanceof AwaitGrowth) await recordGrowthWait(run, error);
    else if (error instanceof TryLater) await recordWait(run, upload, error);
    else if (error instanceof ArchiveFailed) await recordFailure(run, upload, error);
    else {
      context.log.error("A run ended by an internal error", { ...idsOf(upload), error });
      const message = "An internal error interrupted the copy; it will be tried again.";
      await recordWait(run, upload, new TryLater("internal", message, { cause: error }));
    }
  } catch (lost) {
    if (!(lost instanceof LeaseLost)) throw lost;
    await removeStrayObjects(context, upload);
  }
  return false;
}

/**
 * Marks the upload as completed. Call only after the stored object is proved. `columns` are further
 * assignments to the row; `file` inserts or updates the row of the file.
 */
export async function recordCompletion(
  { context, lease }: LeasedRun,
  upload: Pick<RunningUpload, "id" | "kind" | "vod_id" | "started_at">,
  proved: {
    readonly head: ObjectHead;
    readonly columns: Statement;
    readonly file: Statement;
    readonly title: string;
    readonly body: string;
    /** For the same batch, after the statements that record the completion. */
    readonly alongside?: readonly Statement[];
  },
): Promise<void> {
  const { platform } = context;
  const nowMs = platform.clock.now();
  const { sizeBytes, tag, key } = proved.head;
  await batchUnderLease(platform.database, lease, [
    ...recordedChange(
      endLease(
        lease,
        nowMs,
        sql`status = 'completed', phase = NULL, progress = 100,
        progress_history = json_insert(progress_history, '$[#]',
          json_object('at', ${nowMs}, 'percentage', 100)),
        source_bytes = ${sizeBytes}, source_bytes_estimated = 0, stored_bytes = ${sizeBytes},
        object_key = ${key}, completed_at = ${nowMs}, error_message = NULL, failure_class = NULL,
        stalled_at = NULL, stall_reason = NULL, next_attempt_at = NULL, attempts = 0,
        multipart_id = NULL`,
        proved.columns,
      ),
      nowMs,
      {
        audit: runAudit("upload.complete", upload, { after: { sizeBytes, tag } }),
        event: {
          type: "upload_completed",
          subject: upload.id,
          title: proved.title,
          body: proved.body,
          link: `/watch/${upload.id}`,
        },
      },
    ),
    proved.file,
    ...checkStoredVod(upload.id),
    ...(proved.alongside ?? []),
    sql`DELETE FROM upload_parts WHERE upload_id = ${upload.id}`,
    ...planPieceRemovals(sql`upload_id = ${upload.id}`, nowMs),
  ]);
  const { started_at: startedAt = null } = upload;
  context.log.info("An upload completed", {
    ...idsOf(upload),
    sizeBytes,
    ...(startedAt === null ? {} : { tookSec: Math.round((nowMs - startedAt) / 1_000) }),
  });
  platform.telemetry?.uploadEnded(upload.kind, "completed");
  await publishUpload(platform, upload.id);
}

/** Hands the upload over after its first stall, which is flagged; a second stall fails it. */
async function recordStall(
  run: LeasedRun,
  upload: RunningUpload,
  reason: string,
): Promise<boolean> {
  if (upload.stall_count > 0) {
    const failure = new ArchiveFailed("try_later", `${reason} It was the second time.`);
    await recordFailure(run, upload, failure);
    return false;
  }
  const { platform } = run.context;
  const nowMs = platform.clock.now();
  await batchUnderLease(
    platform.database,
    run.lease,
    recordedChange(
      endLease(
        run.lease,
        nowMs,
        sql`stall_count = stall_count + 1, stalled_at = ${nowMs}, stall_reason = ${reason}`,
      ),
      nowMs,
      stallRecord(upload, reason),
    ),
  );
  await publishUpload(platform, upload.id);
  return true;
}

/** What is recorded when an upload is flagged as stalled. */
export function stallRecord(
  upload: Pick<RunningUpload, "id" | "title" | "filename">,
  reason: string,
): ChangeRecord {
  return {
    audit: runAudit("upload.stall", upload, { reason }),
    event: {
      type: "upload_stalled",
      subject: upload.id,
      title: `Stalled: ${titleOf(upload)}`,
      body: reason,
      link: `/uploads?upload=${upload.id}`,
    },
  };
}

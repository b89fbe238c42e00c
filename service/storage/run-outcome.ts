import type { FailureClass } from "#contract/upload.ts";
import type { AuditInput } from "#service/changes/audit-entry.ts";
import type { NotificationEvent } from "#service/changes/notification-event.ts";
import { recordedChange, type ChangeRecord } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { jitter } from "#service/jitter.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import type { Statement } from "#service/ports/database.ts";
import { removeStrayObjects, type UploadIdentity } from "./discard.ts";
import { idsOf } from "./log-ids.ts";
import { batchUnderLease, endLease, LeaseLost, type UploadLease } from "./lease.ts";
import {
  ArchiveFailed,
  AwaitGrowth,
  HandedOver,
  Stalled,
  TryLater,
  type FailureOrigin,
} from "./run-end.ts";
import { planPieceRemovals } from "./store-removals.ts";
import { publishUpload } from "./upload-events.ts";

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

type LeasedRun = { readonly context: ServiceContext; readonly lease: UploadLease };

export type RunningUpload = UploadIdentity & {
  /** By which people know it; the file's name if it has none. */
  readonly title?: string | null;
  readonly started_at?: number | null;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly stall_count: number;
};

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
        audit: entry("upload.complete", upload, { after: { sizeBytes, tag } }),
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

/**
 * Marks the upload as failed and keeps its checkpoint, so that a retry continues from there.
 * `alongside` are statements for the same batch, after those that record the failure.
 */
export async function recordFailure(
  { context, lease }: LeasedRun,
  upload: RunningUpload,
  failure: ArchiveFailed,
  alongside: readonly Statement[] = [],
): Promise<void> {
  const { platform } = context;
  const nowMs = platform.clock.now();
  await batchUnderLease(platform.database, lease, [
    ...recordedChange(
      endLease(
        lease,
        nowMs,
        sql`status = 'failed', phase = NULL, failure_class = ${failure.failureClass},
        error_message = ${failure.message}, failed_at = ${nowMs}, next_attempt_at = NULL`,
      ),
      nowMs,
      {
        audit: entry("upload.fail", upload, {
          reason: failure.message,
          after: { failureClass: failure.failureClass },
        }),
        event: failureEvent(upload, failure),
      },
    ),
    ...alongside,
  ]);
  context.log.warn("An upload failed", { ...idsOf(upload), error: failure });
  platform.telemetry?.uploadEnded(upload.kind, "failed");
  await publishUpload(platform, upload.id);
}

function failureEvent(upload: RunningUpload, failure: ArchiveFailed): NotificationEvent {
  const isLast = upload.retry_count >= upload.max_retries;
  const name = titleOf(upload);
  return {
    type: isLast ? "retries_exhausted" : "upload_failed",
    cause: failure.failureClass,
    subject: upload.id,
    title: isLast ? `Out of retries: ${name}` : `Failed: ${name}`,
    body: failure.message,
    link: `/uploads?upload=${upload.id}`,
  };
}

function titleOf({ title, filename }: Pick<RunningUpload, "title" | "filename">): string {
  return title ? title : filename;
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
    audit: entry("upload.stall", upload, { reason }),
    event: {
      type: "upload_stalled",
      subject: upload.id,
      title: `Stalled: ${titleOf(upload)}`,
      body: reason,
      link: `/uploads?upload=${upload.id}`,
    },
  };
}

function entry(
  action: string,
  { id }: Pick<RunningUpload, "id">,
  values: Pick<AuditInput, "reason" | "after">,
): Omit<AuditInput, "atMs"> {
  return { actorId: null, action, target: id, ...values };
}

/** Doubling from five seconds to five minutes, half of it jitter. */
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 300_000;

/**
 * Attempts in a row without a new part before the upload fails: about six hours at five minutes
 * each, longer than the longer outages of Twitch. Waiting uses up no retry.
 */
const MAX_ATTEMPTS = 80;

/** An internal error that persists for a few attempts will not go away by waiting. */
const MAX_ATTEMPTS_AFTER_OWN_FAULT = 5;

const PATIENCE: Readonly<
  Record<FailureOrigin, { readonly maxAttempts: number; readonly failureClass: FailureClass }>
> = {
  source: { maxAttempts: MAX_ATTEMPTS, failureClass: "try_later" },
  storage: { maxAttempts: MAX_ATTEMPTS, failureClass: "storage" },
  // An operator has to make room or give access, which may take any time.
  space: { maxAttempts: Infinity, failureClass: "storage" },
  room: { maxAttempts: Infinity, failureClass: "storage" },
  access: { maxAttempts: Infinity, failureClass: "storage" },
  internal: { maxAttempts: MAX_ATTEMPTS_AFTER_OWN_FAULT, failureClass: "ours" },
};

/** Releases the lease and schedules the next attempt with backoff. */
export async function recordWait(
  run: LeasedRun,
  upload: RunningUpload,
  reason: TryLater,
): Promise<void> {
  const { database, random } = run.context.platform;
  const [found] = await database.all(sql`
    SELECT attempts FROM uploads WHERE id = ${upload.id}`);
  const attempts = Number(found?.attempts ?? 0) + 1;
  const { maxAttempts, failureClass } = PATIENCE[reason.origin];
  if (attempts > maxAttempts) {
    const message = `${reason.message} It was tried ${attempts} times.`;
    await recordFailure(run, upload, new ArchiveFailed(failureClass, message, { cause: reason }));
    return;
  }
  run.context.log.info("An upload waits", { ...idsOf(upload), reason: reason.message });
  const ceilingMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20));
  const delayMs = Math.max(reason.retryAfterMs ?? 0, ceilingMs * (0.5 + jitter(random) / 2));
  await wait(
    run,
    delayMs,
    sql`attempts = ${attempts}, failure_class = ${failureClass},
      error_message = ${reason.message}`,
  );
}

/** Releases the lease until the broadcast may have grown. */
async function recordGrowthWait(run: LeasedRun, { delayMs, reason }: AwaitGrowth): Promise<void> {
  await wait(
    run,
    delayMs,
    sql`error_message = ${reason}, is_live = ${Number(reason === null)}, failure_class = NULL,
      stalled_at = NULL, stall_reason = NULL`,
  );
}

async function wait(
  { context, lease }: LeasedRun,
  delayMs: number,
  also: Statement,
): Promise<void> {
  const { platform } = context;
  const nowMs = platform.clock.now();
  const waiting = sql`phase = 'waiting', next_attempt_at = ${Math.round(nowMs + delayMs)}`;
  await batchUnderLease(platform.database, lease, [endLease(lease, nowMs, waiting, also)]);
  await publishUpload(platform, lease.uploadId);
  await platform.queue.send({ uploadId: lease.uploadId }, Math.max(0, delayMs));
}

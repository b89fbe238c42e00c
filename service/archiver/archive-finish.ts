import type { FailureClass } from "#contract/upload.ts";
import { auditEntryIfChanged } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import {
  notificationEventIfChanged,
  type NotificationEvent,
} from "#service/notifications/notification-event.ts";
import type { Statement } from "#service/ports/database.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import { publishUpload } from "#service/uploads/upload-events.ts";
import type { ArchiveDeps } from "./archive-deps.ts";
import { archiveFileRow } from "./archive-file.ts";
import { timeRanges, type ArchiveManifest } from "./archive-manifest.ts";
import type { ArchiveRow } from "./archive-row.ts";
import type { CopiedArchive } from "./archive-copy.ts";
import type { OpenMultipart } from "./archive-multipart.ts";
import type { ArchiveKeys } from "./object-keys.ts";
import { ArchiveFailed, type AwaitGrowth, type Culprit, type TryLater } from "./run-end.ts";
import { jitter } from "./source-gate.ts";
import { planRemoval } from "./store-removals.ts";
import { formatTimeRanges } from "./time-text.ts";
import { batchUnderLease, holds, type UploadLease } from "./upload-lease.ts";

/** Records the end of a run, in one batch that only the holder of the lease can write. */

type EndDeps = { readonly context: ServiceContext; readonly lease: UploadLease };

/** Call only after the stored object is proved. */
export async function recordCompletion(
  deps: ArchiveDeps,
  row: ArchiveRow,
  manifest: ArchiveManifest,
  keys: ArchiveKeys,
  head: ObjectHead,
  hasChat: boolean,
): Promise<void> {
  const { platform } = deps.context;
  const nowMs = platform.clock.now();
  const isDone = sql`EXISTS (SELECT 1 FROM uploads
    WHERE id = ${row.id} AND epoch = ${deps.lease.epoch} AND status = 'completed')`;
  await batchUnderLease(platform.database, [
    sql`UPDATE uploads SET status = 'completed', phase = NULL, progress = 100,
        progress_history = json_insert(progress_history, '$[#]',
          json_object('at', ${nowMs}, 'percentage', 100)),
        source_bytes = ${head.sizeBytes}, source_bytes_estimated = 0,
        stored_bytes = ${head.sizeBytes}, completed_at = ${nowMs}, error_message = NULL,
        failure_class = NULL, stalled_at = NULL, stall_reason = NULL, next_attempt_at = NULL,
        speed_bytes_per_sec = NULL, attempts = 0, lease_owner = NULL, lease_until = NULL,
        multipart_id = NULL, playlist_key = ${keys.playlist}, manifest_key = ${keys.manifest},
        chat_key = ${hasChat ? keys.chat : null}, version = version + 1, updated_at = ${nowMs}
      WHERE ${holds(deps.lease)}`,
    auditEntryIfChanged({
      atMs: nowMs,
      actorId: null,
      action: "upload.complete",
      target: row.id,
      result: "done",
      after: { sizeBytes: head.sizeBytes, tag: head.tag },
    }),
    notificationEventIfChanged(
      {
        type: "upload_completed",
        subject: row.id,
        title: `Archived: ${manifest.source.title}`,
        body: `All ${deps.progress.state.segmentsDone} segments of VOD ${row.vod_id} are stored and proved.`,
        link: `/uploads?upload=${row.id}`,
      },
      nowMs,
    ),
    archiveFileRow(row, manifest, keys, head, "complete", nowMs, isDone),
    sql`DELETE FROM upload_parts WHERE upload_id = ${row.id} AND ${isDone}`,
  ]);
  platform.telemetry?.uploadEnded("twitch", "completed");
  await publishUpload(platform, row.id);
}

/**
 * For an archive of which the source no longer had every segment. `head` is null if no object was
 * made: no bytes were copied, or no more than the partial file of an earlier run has.
 */
export async function recordPartialFile(
  deps: ArchiveDeps,
  row: ArchiveRow,
  manifest: ArchiveManifest,
  copied: CopiedArchive,
  keys: ArchiveKeys,
  multipart: OpenMultipart,
  head: ObjectHead | null,
  hasChat: boolean,
): Promise<void> {
  const nowMs = deps.context.platform.clock.now();
  const missing = timeRanges(manifest.units, (_, index) => copied.units[index]?.isMissing ?? true);
  const isDone = failedHere(deps);
  const sizeBytes = head?.sizeBytes ?? 0;
  await recordFailure(
    deps,
    row,
    new ArchiveFailed("gone_at_source", missingSentence(missing, head !== null)),
    [
      sql`UPDATE uploads SET missing_ranges = ${JSON.stringify(missing)}, multipart_id = NULL,
          part_size_bytes = NULL, manifest_key = NULL, stored_bytes = ${sizeBytes},
          progress = COALESCE(100.0 * segments_done / NULLIF(segments_total, 0), 0),
          chat_key = COALESCE(${hasChat ? keys.chat : null}, chat_key)
        WHERE id = ${row.id} AND ${isDone}`,
      ...(head === null
        ? [
            planRemoval(multipart.handle, nowMs, isDone),
            sql`DELETE FROM files
              WHERE upload_id = ${row.id} AND upload_type = 'chunk' AND ${isDone}`,
          ]
        : [archiveFileRow(row, manifest, keys, head, "partial", nowMs, isDone)]),
      sql`DELETE FROM upload_parts WHERE upload_id = ${row.id} AND ${isDone}`,
    ],
  );
}

function missingSentence(missing: ReturnType<typeof timeRanges>, isKept: boolean): string {
  const ranges = formatTimeRanges(missing);
  return isKept
    ? `Twitch no longer has ${ranges}. What there was is kept as a partial file.`
    : `Twitch no longer has any of it (${ranges}).`;
}

/** True once the holder of this lease has marked the upload as failed; guards the other writes. */
function failedHere(deps: EndDeps): Statement {
  return sql`EXISTS (SELECT 1 FROM uploads
    WHERE id = ${deps.lease.uploadId} AND epoch = ${deps.lease.epoch} AND status = 'failed')`;
}

/**
 * Marks the upload as failed and keeps its checkpoint, so that a retry continues from there.
 * `alongside` are statements for the same batch, each with its own guard.
 */
export async function recordFailure(
  deps: EndDeps,
  row: Pick<ArchiveRow, "id" | "retry_count" | "max_retries" | "filename">,
  failure: ArchiveFailed,
  alongside: readonly Statement[] = [],
): Promise<void> {
  const { platform } = deps.context;
  const nowMs = platform.clock.now();
  await batchUnderLease(platform.database, [
    sql`UPDATE uploads SET status = 'failed', phase = NULL,
        failure_class = ${failure.failureClass}, error_message = ${failure.message},
        failed_at = ${nowMs}, next_attempt_at = NULL, speed_bytes_per_sec = NULL,
        lease_owner = NULL, lease_until = NULL, version = version + 1, updated_at = ${nowMs}
      WHERE ${holds(deps.lease)}`,
    auditEntryIfChanged({
      atMs: nowMs,
      actorId: null,
      action: "upload.fail",
      target: row.id,
      result: "done",
      reason: failure.message,
      after: { failureClass: failure.failureClass },
    }),
    notificationEventIfChanged(failureEvent(row, failure), nowMs),
    ...alongside,
  ]);
  platform.telemetry?.uploadEnded("twitch", "failed");
  await publishUpload(platform, row.id);
}

function failureEvent(
  row: Pick<ArchiveRow, "id" | "retry_count" | "max_retries" | "filename">,
  failure: ArchiveFailed,
): NotificationEvent {
  const isLast = row.retry_count >= row.max_retries;
  return {
    type: isLast ? "retries_exhausted" : "upload_failed",
    subject: row.id,
    title: isLast ? `Out of retries: ${row.filename}` : `Failed: ${row.filename}`,
    body: failure.message,
    link: "/uploads/failed",
  };
}

/** Doubling from five seconds to five minutes, half of it jitter. */
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 300_000;

/**
 * Attempts in a row without a new part before the upload fails: about six hours at five minutes
 * each, longer than Twitch's longer outages. Waiting uses up no retry.
 */
const MAX_ATTEMPTS = 80;

/** An internal error that persists for a few attempts will not go away by waiting. */
const MAX_ATTEMPTS_AFTER_OWN_FAULT = 5;

const PATIENCE: Readonly<
  Record<Culprit, { readonly maxAttempts: number; readonly failureClass: FailureClass }>
> = {
  source: { maxAttempts: MAX_ATTEMPTS, failureClass: "try_later" },
  storage: { maxAttempts: MAX_ATTEMPTS, failureClass: "storage" },
  // An operator has to make room or give access, which may take any time.
  space: { maxAttempts: Infinity, failureClass: "storage" },
  access: { maxAttempts: Infinity, failureClass: "storage" },
  ours: { maxAttempts: MAX_ATTEMPTS_AFTER_OWN_FAULT, failureClass: "ours" },
};

/** Releases the lease and schedules the next attempt with backoff. */
export async function recordWait(
  deps: EndDeps,
  row: Pick<ArchiveRow, "id" | "retry_count" | "max_retries" | "filename">,
  reason: TryLater,
): Promise<void> {
  const { database, clock, random } = deps.context.platform;
  const [found] = await database.all(sql`
    SELECT attempts FROM uploads WHERE ${holds(deps.lease)}`);
  const attempts = Number(found?.attempts ?? 0) + 1;
  const { maxAttempts, failureClass } = PATIENCE[reason.culprit];
  if (attempts > maxAttempts) {
    await recordFailure(
      deps,
      row,
      new ArchiveFailed(failureClass, `${reason.message} It was tried ${attempts} times.`, {
        cause: reason,
      }),
    );
    return;
  }
  const ceilingMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20));
  const delayMs = Math.max(reason.retryAfterMs ?? 0, ceilingMs * (0.5 + jitter(random) / 2));
  await wait(
    deps,
    row.id,
    clock.now() + delayMs,
    sql`attempts = ${attempts}, failure_class = ${failureClass},
      error_message = ${reason.message}`,
  );
}

/** Releases the lease until the broadcast may have grown. */
export async function recordGrowthWait(
  deps: EndDeps,
  row: Pick<ArchiveRow, "id">,
  reason: AwaitGrowth,
): Promise<void> {
  const nextMs = deps.context.platform.clock.now() + reason.delayMs;
  await wait(
    deps,
    row.id,
    nextMs,
    sql`error_message = NULL, failure_class = NULL, stalled_at = NULL, stall_reason = NULL`,
  );
}

async function wait(
  deps: EndDeps,
  uploadId: string,
  nextAttemptAt: number,
  also: Statement,
): Promise<void> {
  const { platform } = deps.context;
  const nowMs = platform.clock.now();
  await batchUnderLease(platform.database, [
    sql`UPDATE uploads SET phase = 'waiting', next_attempt_at = ${Math.round(nextAttemptAt)},
        lease_owner = NULL, lease_until = NULL, speed_bytes_per_sec = NULL, ${also},
        version = version + 1, updated_at = ${nowMs}
      WHERE ${holds(deps.lease)}`,
  ]);
  await publishUpload(platform, uploadId);
  await platform.queue.send({ uploadId }, Math.max(0, nextAttemptAt - nowMs));
}

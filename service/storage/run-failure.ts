import type { AuditInput } from "#service/changes/audit-entry.ts";
import type { NotificationEvent } from "#service/changes/notification-event.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { UploadIdentity } from "./discard.ts";
import { idsOf } from "./log-ids.ts";
import { batchUnderLease, endLease, type UploadLease } from "./lease.ts";
import type { ArchiveFailed } from "./run-end.ts";
import { publishUpload } from "./upload-events.ts";
import { planAnotherTry } from "./upload-vod.ts";

export type LeasedRun = { readonly context: ServiceContext; readonly lease: UploadLease };

export type RunningUpload = UploadIdentity & {
  /** By which people know it; the file's name if it has none. */
  readonly title?: string | null;
  readonly started_at?: number | null;
  readonly retry_count: number;
  readonly max_retries: number;
  readonly stall_count: number;
  /** Kept while a rule tries it again. */
  readonly failed_at?: number | null;
};

/**
 * Marks the upload as failed and keeps its checkpoint, so that a retry continues from there.
 * `alongside` are statements for the same batch, after those that record the failure. It is announced
 * once, however often a rule tries again.
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
        audit: runAudit("upload.fail", upload, {
          reason: failure.message,
          after: { failureClass: failure.failureClass },
        }),
        event: (upload.failed_at ?? null) === null ? failureEvent(upload, failure) : null,
      },
    ),
    planAnotherTry(upload.id, failure.failureClass, nowMs),
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

/** The name by which people know an upload. */
export function titleOf({ title, filename }: Pick<RunningUpload, "title" | "filename">): string {
  return title ? title : filename;
}

/** The audit entry of what the service itself did to an upload. */
export function runAudit(
  action: string,
  { id }: Pick<RunningUpload, "id">,
  values: Pick<AuditInput, "reason" | "after">,
): Omit<AuditInput, "atMs"> {
  return { actorId: null, action, target: id, ...values };
}

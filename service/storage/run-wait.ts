import type { FailureClass } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import { backoffMs } from "#service/jobs/backoff.ts";
import type { Statement } from "#service/ports/database.ts";
import { idsOf } from "./log-ids.ts";
import { batchUnderLease, endLease } from "./lease.ts";
import { ArchiveFailed, type AwaitGrowth, type FailureOrigin, type TryLater } from "./run-end.ts";
import { recordFailure, type LeasedRun, type RunningUpload } from "./run-failure.ts";
import { publishUpload } from "./upload-events.ts";

const BACKOFF = { firstDelayMs: 5_000, longestDelayMs: 300_000 };

/**
 * Attempts in a row without a new part before the upload fails: a day and a half at about four
 * minutes each, longer than the longest outages of Twitch, a provider or a store. Waiting uses up no
 * retry.
 */
const MAX_ATTEMPTS = 600;

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
  await wait(
    run,
    backoffMs(BACKOFF, attempts, random, reason.retryAfterMs),
    sql`attempts = ${attempts}, failure_class = ${failureClass},
      error_message = ${reason.message}`,
  );
}

/** Releases the lease until the broadcast may have grown. */
export async function recordGrowthWait(
  run: LeasedRun,
  { delayMs, reason }: AwaitGrowth,
): Promise<void> {
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

import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { JOB_KINDS } from "#service/jobs/job-kinds.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { again, end, type Job, keep, later, plan, SOLE } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { type Check, findCheck, findNextCheck } from "./next-check.ts";
import { type Checked, createPartCheck, type Unread } from "./part-check.ts";
import { countRead, DAY_MS, type Pace, readPace } from "./scrub-pace.ts";

/*
 * Reads stored bytes again and compares them with the digests that were proved when the file was
 * archived. A file becomes partial if a part does not match in two reads, or cannot be read for hours
 * while the store answers other requests (e.g. a bad sector); what is sound again is lifted
 * (file-damage.ts). The jobs of the kind run one at a time:
 *
 * - the scrub: least recently verified file first, part by part, a share of all bytes each day. If
 *   somebody asked to have everything read, it goes on without a pace while no archive runs.
 * - a file that is read first, without a pace while no archive runs: somebody asked for it, or the scrub
 *   could not read it. One that the store refuses to hand out is not damaged, and is counted.
 *
 * The position is recorded, so that restarts repeat only what is in memory: one part, or without a pace
 * as many as a copy may hold.
 */

/**
 * Minimum size counted per check. It limits checks to 64 a second, so that a million small files do
 * not keep the process from other work.
 */
const LEAST_PACED_BYTES = 256 * 1024;

/** A whole library may be in cold storage. */
const RETRY_REFUSED_AFTER_MS = DAY_MS;
/** A file that is unreadable at every attempt for this long counts as damaged. */
const LOST_AFTER_MS = 6 * 3_600_000;

/** The scrub reads for half of each minute; what somebody asked for goes on after other jobs. */
const SCRUB_ROUND_MS = 30_000;
const SCRUB_PAUSE_MS = 30_000;
const { sliceMs } = JOB_KINDS.verify;

export function verificationJob(context: ServiceContext): JobHandler {
  const { platform } = context;
  const { clock } = platform;
  const parts = createPartCheck(context);

  async function scrub(job: Job, signal: AbortSignal): Promise<void> {
    const startedMs = clock.monotonic();
    for (;;) {
      signal.throwIfAborted();
      const pace = await readPace(context);
      const isAsked = pace.askedAtMs !== null;
      if (pace.hasFileFirst) {
        await later(platform, job, clock.now());
        return;
      }
      if (clock.monotonic() - startedMs >= (isAsked ? sliceMs : SCRUB_ROUND_MS)) {
        await later(platform, job, clock.now() + (isAsked ? 0 : SCRUB_PAUSE_MS));
        return;
      }
      const check = await findNextCheck(context, pace);
      if (check === null) {
        await later(platform, job, pace.nextAtMs, [EVERYTHING_IS_READ]);
        return;
      }
      const isFast = isAsked && !pace.isBusy;
      const checkedMs = clock.monotonic();
      const checked = await parts.check(check, isFast, (statements) =>
        keep(platform, job, statements),
      );
      const isRead = "readBytes" in checked;
      await keep(
        platform,
        job,
        isRead
          ? recordProgress(check, checked, clock.now())
          : [plan("verify", check.object_key, clock.now())],
      );
      if (!isFast) await sleep(pace, isRead ? checked.readBytes : 0, checkedMs, signal);
    }
  }

  async function readFirst(job: Job, signal: AbortSignal): Promise<void | "done"> {
    const startedMs = clock.monotonic();
    const write = (statements: readonly Statement[]) => keep(platform, job, statements);
    for (;;) {
      signal.throwIfAborted();
      const pace = await readPace(context);
      const check = await findCheck(context, sql`${job.key}`);
      if (check === null) return "done";
      if (clock.monotonic() - startedMs >= sliceMs) {
        await later(platform, job, clock.now());
        return undefined;
      }
      const checkedMs = clock.monotonic();
      let checked = await parts.check(check, !pace.isBusy, write);
      if (!("readBytes" in checked)) {
        const nowMs = clock.now();
        const isSame = check.is_refused === Number(checked.refusal !== null);
        const sinceMs = isSame ? (check.unreadable_since_at ?? nowMs) : nowMs;
        if (checked.refusal !== null || nowMs - sinceMs < LOST_AFTER_MS) {
          await setAside(job, checked, sinceMs);
          return undefined;
        }
        checked = await parts.reportUnreadable(check, checked.part, sinceMs, write);
      }
      if (pace.isBusy) await sleep(pace, checked.readBytes, checkedMs, signal);
      const progress = recordProgress(check, checked, clock.now());
      if (checked.nextPart === null) {
        await end(platform, job, progress);
        return undefined;
      }
      await write(progress);
    }
  }

  async function setAside(job: Job, { part, refusal }: Unread, sinceMs: number): Promise<void> {
    const what = part === null ? "Its manifest" : `Part ${part}`;
    const fault =
      refusal === null
        ? { message: `${what} cannot be read from the store.` }
        : { message: refusal, retryAfterMs: RETRY_REFUSED_AFTER_MS };
    await again(platform, job, fault, [
      sql`UPDATE files SET unreadable_since_at = ${sinceMs}, is_refused = ${Number(refusal !== null)}
        WHERE object_key = ${job.key}`,
    ]);
  }

  async function sleep(
    { bytesPerSec }: Pace,
    readBytes: number,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const paceMs = (Math.max(readBytes, LEAST_PACED_BYTES) / bytesPerSec) * 1_000;
    await clock.sleep(Math.max(0, paceMs - (clock.monotonic() - sinceMs)), signal);
  }

  return {
    run: (job, signal) => (job.key === SOLE ? scrub(job, signal) : readFirst(job, signal)),
  };
}

const EVERYTHING_IS_READ = sql`UPDATE deployment SET verify_before_at = NULL
  WHERE verify_before_at IS NOT NULL`;

function recordProgress(
  check: Check,
  { nextPart, readBytes }: Checked,
  nowMs: number,
): readonly Statement[] {
  // Not earlier than the request, also if the clock was set back: it would be read again and again.
  const verifiedAt = sql`max(${nowMs}, coalesce((SELECT verify_before_at FROM deployment), 0))`;
  const change =
    nextPart === null
      ? sql`verified_at = ${verifiedAt}, verify_part = 1`
      : sql`verify_part = ${nextPart}`;
  return [
    sql`UPDATE files SET ${change}, unreadable_since_at = NULL, is_refused = 0
      WHERE object_key = ${check.object_key} AND verify_part = ${check.verify_part}`,
    countRead(readBytes, nowMs),
  ];
}

import { sql } from "#service/db/sql.ts";
import { type Absence, judgeAbsence } from "#service/source/existence.ts";
import { ExistenceDisputed, SourceError } from "#service/source/source-error.ts";
import { batchUnderLease } from "#service/storage/lease.ts";
import { ArchiveFailed, TryLater } from "#service/storage/run-end.ts";
import type { ArchiveRun } from "./archive-run.ts";

/** Well below the shortest stall timeout. */
const TOUCH_EVERY_MS = 10_000;

/**
 * Asks the source, and turns its refusals into the errors that end a run. While the source says that
 * the item does not exist, but not yet for long enough (existence.ts), the upload waits if
 * `whileDoubted` is `end run`. With `stay` the run waits and asks again: it holds segments that the
 * source may not give a second time.
 * @throws {TryLater} {ArchiveFailed}
 */
export async function askSource<Answer>(
  run: ArchiveRun,
  whileDoubted: "end run" | "stay",
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    try {
      const answer = await ask();
      run.progress.touch();
      return answer;
    } catch (error) {
      if (run.signal.aborted) throw run.signal.reason;
      if (!(error instanceof SourceError)) throw error;
      run.progress.touch();
      if (error instanceof ExistenceDisputed) await notePresence(run);
      if (error.failureClass !== "gone_at_source") throw asRunEnd(error);
      const absence = await noteAbsence(run);
      if (absence.kind === "gone") throw asRunEnd(error);
      const message = `${error.message} It is asked again in a minute.`;
      if (whileDoubted === "end run")
        throw new TryLater("source", message, { cause: error, retryAfterMs: absence.askAgainInMs });
      await waitInRun(run, message, absence.askAgainInMs);
    }
  }
}

export function asRunEnd(error: SourceError): TryLater | ArchiveFailed {
  return error.failureClass === "try_later"
    ? new TryLater("source", error.message, { cause: error, retryAfterMs: error.retryAfterMs })
    : new ArchiveFailed(error.failureClass, error.message, { cause: error });
}

export function isGone(error: unknown): boolean {
  return error instanceof ArchiveFailed && error.failureClass === "gone_at_source";
}

/** Call when all interfaces of the source say that the item does not exist. */
export async function noteAbsence({ context, lease, absence }: ArchiveRun): Promise<Absence> {
  const { clock, database } = context.platform;
  const verdict = judgeAbsence(absence.sinceMs, clock.now());
  if (verdict.kind === "doubted" && verdict.sinceMs !== absence.sinceMs) {
    absence.sinceMs = verdict.sinceMs;
    await batchUnderLease(database, lease, [
      sql`UPDATE uploads SET absent_since_at = ${verdict.sinceMs} WHERE id = ${lease.uploadId}`,
    ]);
  }
  return verdict;
}

/** Call when an interface of the source has the item. */
export async function notePresence({ context, lease, absence }: ArchiveRun): Promise<void> {
  if (absence.sinceMs === null) return;
  absence.sinceMs = null;
  await batchUnderLease(context.platform.database, lease, [
    sql`UPDATE uploads SET absent_since_at = NULL WHERE id = ${lease.uploadId}`,
  ]);
}

/** Shows `message` meanwhile. */
async function waitInRun(
  { context, progress, signal, extendRun }: ArchiveRun,
  message: string,
  delayMs: number,
): Promise<void> {
  extendRun();
  progress.sourceAnswered(message);
  for (let leftMs = delayMs; leftMs > 0; leftMs -= TOUCH_EVERY_MS) {
    await context.platform.clock.sleep(Math.min(leftMs, TOUCH_EVERY_MS), signal);
    signal.throwIfAborted();
    progress.touch();
  }
  progress.sourceAnswered(null);
}

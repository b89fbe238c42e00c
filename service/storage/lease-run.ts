import type { TimeRange, UploadPhase } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import type { Clock } from "#service/ports/clock.ts";
import { publishUpload } from "./upload-events.ts";
import { batchUnderLease, LEASE_MS, RENEW_EVERY_MS, type UploadLease } from "./lease.ts";
import { Stalled } from "./run-end.ts";

/** A run that ignores its abort for this long is abandoned; it can no longer write. */
const ABANDON_AFTER_MS = 2_000;

/** How often to check whether this process was suspended. */
const LOOK_EVERY_MS = 15_000;

/**
 * A sleep that lasts this much longer than requested means that the process or its machine was
 * suspended. Well below what counts as silence.
 */
const STANDSTILL_MS = 30_000;

/**
 * Runs `work` under a lease: writes its progress, which renews the lease, and ends it when `signal`
 * aborts, the lease is lost or nothing happens for `stallAfterMs`.
 * @throws {Stalled}, {LeaseLost}, the reason of `signal`, or what `work` throws
 */
export async function runUnderLease(
  clock: Clock,
  options: {
    readonly progress: Progress;
    readonly signal: AbortSignal;
    readonly stallAfterMs: number;
  },
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { progress, stallAfterMs } = options;
  const ending = new AbortController();
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const writing = progress.keepWriting(ended.signal).catch((error: unknown) => ending.abort(error));
  const watching = endWhenSilent();
  const abandoned = new Promise<"abandoned">((resolve) => {
    const abandon = async () => {
      await clock.sleep(ABANDON_AFTER_MS, ended.signal);
      resolve("abandoned");
    };
    if (signal.aborted) void abandon();
    else signal.addEventListener("abort", () => void abandon(), { once: true });
  });
  const working = work(signal);

  async function endWhenSilent(): Promise<void> {
    if (await watchSilence(clock, progress, stallAfterMs, ended.signal))
      ending.abort(new Stalled(stallReason(progress, stallAfterMs)));
  }

  try {
    if ((await Promise.race([working, abandoned])) === "abandoned") throw signal.reason;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    ended.abort();
    working.catch(() => undefined);
    await Promise.all([writing, watching]);
  }
}

/**
 * Resolves with true after `silentAfterMs` without activity, with false when `signal` aborts. Time
 * during which this process was suspended does not count: the watch starts again.
 */
export async function watchSilence(
  clock: Clock,
  progress: Pick<Progress, "silentForMs" | "touch">,
  silentAfterMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const leftMs = silentAfterMs - progress.silentForMs();
    if (leftMs <= 0) return true;
    const pauseMs = Math.min(leftMs, LOOK_EVERY_MS);
    const beforeMs = clock.monotonic();
    await clock.sleep(pauseMs, signal);
    if (clock.monotonic() - beforeMs >= pauseMs + STANDSTILL_MS) progress.touch();
  }
  return false;
}

function stallReason({ state }: Progress, stallAfterMs: number): string {
  const { phase, lastSegment } = state;
  const after = lastSegment === null ? "from the start" : `after segment ${lastSegment}`;
  const seconds = Math.round(stallAfterMs / 1_000);
  const forHowLong = seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} seconds`;
  return phase === "copying"
    ? `The source sent no data for ${forHowLong}, ${after}.`
    : `Nothing happened for ${forHowLong} while ${phase}.`;
}

/** Speed is averaged over this time. */
const SPEED_WINDOW_MS = 5_000;

/** The panel shows the last five entries, which then cover the last minutes. */
const HISTORY_EVERY_MS = 30_000;
const HISTORY_LENGTH = 20;

/** The state of one upload as clients see it. Sums cover the whole upload, not only this run. */
export type ProgressState = {
  phase: UploadPhase;
  segmentsDone: number;
  lastSegment: number | null;
  bytesDone: number;
  segmentsTotal: number | null;
  durationTotalSec: number | null;
  estimatedBytes: number | null;
  mutedRanges: readonly TimeRange[];
  missingRanges: readonly TimeRange[];
  /** What is stored and what there is to store: seconds of an archive, bytes of a manual upload. */
  done: number;
  total: number;
  /**
   * The progress of an earlier run. Planning and copying units again do not lower the progress
   * below it.
   */
  reachedPercentage: number;
};

export type HistoryEntry = { readonly at: number; readonly percentage: number };

export type Progress = {
  readonly state: ProgressState;
  bytesArrived(count: number): void;
  /** Notes activity of the source or the store. */
  touch(): void;
  unitDone(): void;
  /** `problem` is a sentence that says why this archive waits for the source; null: it does not. */
  sourceAnswered(problem: string | null): void;
  /** The same for the store. */
  storeAnswered(problem: string | null): void;
  /** Assignments to the upload's row, for a batch that ends the run. */
  columns(): Statement;
  /** Milliseconds since the last activity. */
  silentForMs(): number;
  /** Writes the state at once, for changes that clients wait for. @throws {LeaseLost} */
  flush(): Promise<void>;
  /** Writes the state and renews the lease until `signal` aborts. @throws {LeaseLost} */
  keepWriting(signal: AbortSignal): Promise<void>;
};

export function createProgress(
  platform: Platform,
  lease: UploadLease,
  state: ProgressState,
  history: readonly HistoryEntry[],
): Progress {
  const { clock, database } = platform;
  const entries = [...history];
  const arrivals: { atMs: number; total: number }[] = [];
  if (state.phase === "copying") arrivals.push({ atMs: clock.monotonic(), total: 0 });
  let arrivedBytes = 0;
  let lastActivityMs = clock.monotonic();
  let lastSegmentAt: number | null = null;
  let sourceProblem: string | null = null;
  let storeProblem: string | null = null;
  let written = "";
  let lastWriteMs = -Infinity;

  /** Null until two moments can be compared. */
  function speed(): number | null {
    const nowMs = clock.monotonic();
    arrivals.push({ atMs: nowMs, total: arrivedBytes });
    while (arrivals.length > 2 && nowMs - (arrivals[0]?.atMs ?? nowMs) > SPEED_WINDOW_MS)
      arrivals.shift();
    const first = arrivals[0];
    if (first === undefined || nowMs <= first.atMs) return null;
    return ((arrivedBytes - first.total) / (nowMs - first.atMs)) * 1_000;
  }

  function percentageDone(): number {
    // 100 % is only set once the object is proved.
    const percentage = state.total > 0 ? (state.done / state.total) * 100 : 0;
    return Math.min(99.9, Math.max(state.reachedPercentage, percentage));
  }

  function noteHistory(): void {
    const last = entries.at(-1);
    const atMs = clock.now();
    if (last !== undefined && atMs - last.at < HISTORY_EVERY_MS && atMs >= last.at) return;
    entries.push({ at: atMs, percentage: percentageDone() });
    if (entries.length > HISTORY_LENGTH) entries.shift();
  }

  function columns(): Statement {
    noteHistory();
    const problem = storeProblem ?? sourceProblem;
    return sql`phase = ${problem === null ? state.phase : "waiting"},
      lost_starts = ${state.phase === "copying" ? 0 : sql`lost_starts`},
      error_message = COALESCE(${problem}, error_message), progress = ${percentageDone()},
      source_bytes = COALESCE(${state.estimatedBytes}, source_bytes),
      segments_done = ${state.segmentsDone}, segments_total = ${state.segmentsTotal},
      duration_sec = COALESCE(${state.durationTotalSec}, duration_sec),
      speed_bytes_per_sec = COALESCE(
        ${state.phase === "copying" ? speed() : null}, speed_bytes_per_sec),
      last_segment = ${state.lastSegment},
      last_segment_at = COALESCE(${lastSegmentAt}, last_segment_at),
      progress_history = ${JSON.stringify(entries)},
      muted_ranges = ${JSON.stringify(state.mutedRanges)},
      missing_ranges = ${JSON.stringify(state.missingRanges)}`;
  }

  async function write(): Promise<void> {
    const nowMs = clock.now();
    await batchUnderLease(database, lease, [
      sql`UPDATE uploads SET ${columns()}, lease_until = ${nowMs + LEASE_MS},
        version = version + 1, updated_at = ${nowMs}
        WHERE id = ${lease.uploadId}`,
    ]);
    lastWriteMs = clock.monotonic();
    written = signature();
    await publishUpload(platform, lease.uploadId);
  }

  function signature(): string {
    return `${state.phase} ${storeProblem} ${sourceProblem} ${arrivedBytes} ${state.bytesDone} ${state.segmentsDone} ${state.segmentsTotal}`;
  }

  return {
    state,
    bytesArrived(count) {
      arrivedBytes += count;
      lastActivityMs = clock.monotonic();
    },
    touch() {
      lastActivityMs = clock.monotonic();
    },
    unitDone() {
      lastSegmentAt = clock.now();
      lastActivityMs = clock.monotonic();
    },
    sourceAnswered(problem) {
      sourceProblem = problem;
      lastActivityMs = clock.monotonic();
    },
    storeAnswered(problem) {
      storeProblem = problem;
      lastActivityMs = clock.monotonic();
    },
    columns,
    silentForMs: () => clock.monotonic() - lastActivityMs,
    flush: write,
    async keepWriting(signal) {
      while (!signal.aborted) {
        await clock.sleep(platform.runtime.progressEveryMs, signal);
        if (signal.aborted) return;
        if (signature() !== written || clock.monotonic() - lastWriteMs >= RENEW_EVERY_MS)
          await write();
      }
    },
  };
}

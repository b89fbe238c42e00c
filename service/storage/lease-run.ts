import type { Clock } from "#service/ports/clock.ts";
import type { Progress } from "./progress.ts";

/** Thrown when a run had no activity for too long. */
export class Stalled extends Error {
  override readonly name = "Stalled";
}

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

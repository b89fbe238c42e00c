import type { Clock } from "#service/ports/clock.ts";
import type { ArchiveProgress } from "./archive-progress.ts";

/** How often to check whether this process was suspended. */
const LOOK_EVERY_MS = 15_000;

/**
 * A sleep that lasts this much longer than requested means that the process or its machine was
 * suspended. Well below what counts as silence.
 */
const STANDSTILL_MS = 30_000;

/**
 * Resolves with true after `silentAfterMs` without activity, with false when `signal` aborts. Time
 * during which this process was suspended does not count: the watch starts again.
 */
export async function watchSilence(
  clock: Clock,
  progress: Pick<ArchiveProgress, "silentForMs" | "touch">,
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

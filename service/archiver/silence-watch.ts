import type { Clock } from "#service/ports/clock.ts";
import type { ArchiveProgress } from "./archive-progress.ts";

/** How often one looks whether time has passed by this process. */
const LOOK_EVERY_MS = 15_000;

/**
 * A pause that lasts so much longer than asked was no busy moment: the process was stopped, or its
 * machine was. Well below what counts as silence.
 */
const STANDSTILL_MS = 30_000;

/**
 * Resolves with true once nothing has come for `silentAfterMs`, with false when `signal` aborts. While
 * this process stood still nothing could come: that is nobody's silence, and begins anew.
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

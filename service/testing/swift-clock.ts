import { systemClock } from "#hosts/ports/clock.ts";
import type { Clock } from "#service/ports/clock.ts";

/** Apart from the one that a process may put in its place. */
const real = { ...systemClock };

/**
 * A clock that runs `factor` times as fast as the real one while the process waits, sleeps included,
 * so that long waits pass quickly in the same order. While the process works, it runs as the real
 * one does: otherwise a second's work on a busy machine would pass for a minute of silence.
 */
export function createSwiftClock(factor: number): Clock {
  const startMs = real.monotonic();
  const startIdleMs = performance.nodeTiming.idleTime;
  const wallMs = real.now();
  const monotonic = () =>
    real.monotonic() - startMs + (performance.nodeTiming.idleTime - startIdleMs) * (factor - 1);
  return {
    now: () => Math.round(wallMs + monotonic()),
    monotonic,
    async sleep(ms, signal) {
      const endMs = monotonic() + ms;
      for (let leftMs = ms; leftMs > 0; leftMs = endMs - monotonic()) {
        if (signal?.aborted === true) return;
        await real.sleep(leftMs / factor, signal);
      }
    },
  };
}

import { systemClock } from "#hosts/ports/clock.ts";
import type { Clock } from "#service/ports/clock.ts";

/**
 * A clock that runs `factor` times as fast as the real one, sleeps included, so that long waits
 * pass quickly in the same order.
 */
export function createSwiftClock(factor: number): Clock {
  const startMs = systemClock.monotonic();
  const wallMs = systemClock.now();
  const monotonic = () => (systemClock.monotonic() - startMs) * factor;
  return {
    now: () => Math.round(wallMs + monotonic()),
    monotonic,
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  };
}

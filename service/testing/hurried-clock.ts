import type { Clock } from "#service/ports/clock.ts";

/** A clock whose sleeps end immediately: they are recorded, and time advances by their length. */
export type HurriedClock = Clock & { readonly pausesMs: readonly number[] };

export function createHurriedClock(startMs = Date.now()): HurriedClock {
  const pausesMs: number[] = [];
  let jumpedMs = 0;
  const startedMs = performance.now();
  const monotonic = () => performance.now() - startedMs + jumpedMs;
  return {
    pausesMs,
    now: () => startMs + monotonic(),
    monotonic,
    async sleep(ms, signal) {
      if (signal?.aborted === true) return;
      pausesMs.push(ms);
      jumpedMs += ms;
    },
  };
}

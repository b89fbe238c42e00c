import type { Clock } from "#service/ports/clock.ts";
import { systemClock } from "#hosts/ports/clock.ts";

/** A clock advanced by the test. Its sleeps end when time passes them. */
export type ManualClock = Clock & { pass(ms: number): void };

export function createManualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  const sleepers = new Set<{ untilMs: number; wake: () => void }>();
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    async sleep(ms, signal) {
      const sleeper = { untilMs: nowMs + ms, wake: () => undefined };
      const woken = new AbortController();
      sleeper.wake = () => {
        sleepers.delete(sleeper);
        woken.abort();
        return undefined;
      };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", sleeper.wake, { once: true });
      if (signal?.aborted === true) sleeper.wake();
      await systemClock.sleep(2 ** 31 - 1, woken.signal);
    },
    pass(ms) {
      nowMs += ms;
      for (const sleeper of sleepers) if (sleeper.untilMs <= nowMs) sleeper.wake();
    },
  };
}

import type { Clock } from "#service/ports/clock.ts";
import { systemClock } from "#hosts/ports/clock.ts";

export type TestClock = Clock & {
  /** Advances the wall clock and the monotonic clock; pending sleeps are not affected. */
  advance(ms: number): void;
  /** From now on time passes only by {@link advance} and {@link jump}; sleeps take their real time. */
  stand(): void;
  /** Sets the wall clock alone, as an operator or a time server might. */
  jump(ms: number): void;
};

/** The system's clock, which tests can advance and set. */
export function createTestClock(): TestClock {
  let wallMs = 0;
  let monotonicMs = 0;
  let time: Pick<Clock, "now" | "monotonic"> = systemClock;
  return {
    now: () => time.now() + wallMs,
    monotonic: () => time.monotonic() + monotonicMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    stand() {
      const [now, monotonic] = [time.now(), time.monotonic()];
      time = { now: () => now, monotonic: () => monotonic };
    },
    advance(ms) {
      wallMs += ms;
      monotonicMs += ms;
    },
    jump(ms) {
      wallMs += ms;
    },
  };
}

/**
 * A clock whose sleeps end immediately: they are recorded, and time advances by their length alone,
 * so that what is measured does not depend on the machine.
 */
type HurriedClock = Clock & { readonly pausesMs: readonly number[] };

export function createHurriedClock(startMs = Date.now()): HurriedClock {
  const pausesMs: number[] = [];
  let passedMs = 0;
  return {
    pausesMs,
    now: () => startMs + passedMs,
    monotonic: () => passedMs,
    async sleep(ms, signal) {
      if (signal?.aborted === true) return;
      pausesMs.push(ms);
      passedMs += ms;
    },
  };
}

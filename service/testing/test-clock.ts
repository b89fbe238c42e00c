import type { Clock } from "#service/ports/clock.ts";
import { systemClock } from "#hosts/ports/clock.ts";

export type TestClock = Clock & {
  /** Advances the wall clock and the monotonic clock; pending sleeps are not affected. */
  advance(ms: number): void;
  /** Sets the wall clock alone, as an operator or a time server might. */
  jump(ms: number): void;
};

/** The system's clock, which tests can advance and set. */
export function createTestClock(): TestClock {
  let wallMs = 0;
  let monotonicMs = 0;
  return {
    now: () => systemClock.now() + wallMs,
    monotonic: () => systemClock.monotonic() + monotonicMs,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    advance(ms) {
      wallMs += ms;
      monotonicMs += ms;
    },
    jump(ms) {
      wallMs += ms;
    },
  };
}

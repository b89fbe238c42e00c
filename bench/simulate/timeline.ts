import type { Clock } from "#service/ports/clock.ts";

/**
 * Virtual time. All that happens is an entry at an instant; {@link Timeline.run} takes the entries
 * in order and lets the code that each one wakes run until it waits again. No real time passes, and
 * two runs with the same entries are the same run.
 */
export type Timeline = Clock & {
  /** Adds an entry `delayMs` from now. Those of one instant run in the order in which they were added. */
  at(delayMs: number, run: () => unknown): void;
  /** Runs entries until `isOver` holds or none is left. */
  run(isOver: () => boolean): Promise<void>;
  /** Number of entries that ran. */
  readonly steps: number;
};

type Entry = { readonly atMs: number; readonly run: () => unknown };

const { setImmediate: afterMicrotasks } = globalThis;

export function createTimeline(startMs: number): Timeline {
  let nowMs = startMs;
  let steps = 0;
  /** The next entry is the last; among those of one instant, the earliest added comes last. */
  const entries: Entry[] = [];

  function at(delayMs: number, run: () => unknown): void {
    const entry = { atMs: nowMs + Math.max(0, delayMs), run };
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((entries[middle]?.atMs ?? 0) > entry.atMs) low = middle + 1;
      else high = middle;
    }
    entries.splice(low, 0, entry);
  }

  return {
    get steps() {
      return steps;
    },
    now: () => Math.floor(nowMs),
    monotonic: () => nowMs,
    sleep(ms, signal) {
      return new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve();
          return;
        }
        const wake = () => {
          signal?.removeEventListener("abort", wake);
          resolve();
        };
        signal?.addEventListener("abort", wake, { once: true });
        if (ms < Infinity) at(ms, wake);
      });
    },
    at,
    async run(isOver) {
      // What was begun before adds its first entry after a few microtasks.
      await new Promise((resolve) => afterMicrotasks(resolve));
      while (!isOver()) {
        const entry = entries.pop();
        if (entry === undefined) return;
        nowMs = Math.max(nowMs, entry.atMs);
        steps += 1;
        await entry.run();
        await new Promise((resolve) => afterMicrotasks(resolve));
      }
    },
  };
}

import type { Clock } from "#service/ports/clock.ts";

/**
 * Virtual time. All that happens is an entry at an instant; {@link Timeline.run} takes the entries
 * in order and lets the code that each one wakes run until it waits again. No real time passes, and
 * two runs with the same entries are the same run.
 */
export type Timeline = Clock & {
  /** Adds an entry `delayMs` from now. Entries of the same instant run in the order of their adding. */
  at(delayMs: number, run: () => unknown): void;
  /** Runs entries until `isOver` holds or none is left. `afterEach` runs between two entries. */
  run(isOver: () => boolean, afterEach: () => void): Promise<void>;
  /** Number of entries that ran. */
  readonly steps: number;
};

type Entry = { readonly atMs: number; readonly order: number; readonly run: () => unknown };

const { setImmediate: afterMicrotasks } = globalThis;

export function createTimeline(startMs: number): Timeline {
  let nowMs = startMs;
  let order = 0;
  let steps = 0;
  const heap: Entry[] = [];

  const isBefore = (one: Entry, other: Entry) =>
    one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

  function push(entry: Entry): void {
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = entry;
  }

  function pop(): Entry | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !isBefore(child, last)) break;
      heap[index] = child;
      index = 2 * index + (isRight ? 2 : 1);
    }
    heap[index] = last;
    return first;
  }

  function at(delayMs: number, run: () => unknown): void {
    order += 1;
    push({ atMs: nowMs + Math.max(0, delayMs), order, run });
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
    async run(isOver, afterEach) {
      while (!isOver()) {
        const entry = pop();
        if (entry === undefined) return;
        nowMs = Math.max(nowMs, entry.atMs);
        steps += 1;
        await entry.run();
        await new Promise((resolve) => afterMicrotasks(resolve));
        afterEach();
      }
    },
  };
}

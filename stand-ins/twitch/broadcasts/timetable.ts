/**
 * What happens to channels at given times. There are no timers: it happens when somebody looks, in
 * order, so that a clock that runs fast, or that a test moves on, changes nothing.
 */
export type Timetable = ReturnType<typeof createTimetable>;

type Entry = { readonly atMs: number; readonly run: (atMs: number) => void };

/** @param clock milliseconds */
export function createTimetable(clock: () => number) {
  let aheadMs = 0;
  /** The next entry is the last. */
  const entries: Entry[] = [];

  function now(): number {
    return clock() + aheadMs;
  }

  return {
    now,
    advance(ms: number): void {
      aheadMs += ms;
    },
    at(atMs: number, run: (atMs: number) => void): void {
      let [low, high] = [0, entries.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((entries[middle]?.atMs ?? 0) > atMs) low = middle + 1;
        else high = middle;
      }
      entries.splice(low, 0, { atMs, run });
    },
    /** Lets everything happen that is due. */
    settle(): void {
      for (
        let next = entries.at(-1);
        next !== undefined && next.atMs <= now();
        next = entries.at(-1)
      ) {
        entries.pop();
        next.run(next.atMs);
      }
    },
  };
}

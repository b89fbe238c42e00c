import type { Platform } from "#service/platform.ts";
import { DAY_MS, dayOf } from "./billing-period.ts";
import { addMeteredUsage } from "./usage-ledger.ts";
import { isLevel, mapUsage, METERS, NO_USAGE, type Flow, type Level, type Usage } from "./usage.ts";

type Tally = Record<keyof Usage, number>;

/** Background tasks always use a little; without requests, that is written once a minute. */
const IDLE_FLUSH_EVERY_MS = 60_000;

/**
 * Counts in memory and writes sums to the ledger periodically, never during a request. A process
 * that dies loses what it counted since the last flush: a few seconds with requests, a minute
 * without.
 */
export type UsageMeter = {
  count(flow: Flow, quantity?: number): void;
  /** Raises the day's peak if `bytes` is above it. */
  observe(level: Level, bytes: number): void;
  /** Writes the counts if there were requests, or if the last time is long enough ago. */
  flush(): Promise<void>;
  /**
   * Writes the counts in one batch. If that fails, they are kept for the next flush. Overlapping
   * runs write each count once.
   */
  flushAll(): Promise<void>;
};

export function createUsageMeter(platform: Pick<Platform, "database" | "clock">): UsageMeter {
  const { database, clock } = platform;
  let tallies = new Map<number, Tally>();
  /** The level at the start of a day is that day's first value. */
  const levels = { storedBytesPeak: 0, databaseBytesPeak: 0 };

  function today(): Tally {
    const dayNumber = Math.floor(clock.now() / DAY_MS);
    let tally = tallies.get(dayNumber);
    if (tally === undefined) {
      tally = { ...NO_USAGE, ...levels };
      tallies.set(dayNumber, tally);
    }
    return tally;
  }

  let flushedMs = -Infinity;

  async function flushAll(): Promise<void> {
    const counted = [...tallies].filter(([, tally]) => METERS.some((meter) => tally[meter] > 0));
    if (counted.length === 0) return;
    tallies = new Map();
    flushedMs = clock.monotonic();
    try {
      await database.batch(
        counted.map(([dayNumber, tally]) =>
          addMeteredUsage(dayOf(dayNumber * DAY_MS), withOwnRow(tally), clock.now()),
        ),
      );
    } catch (error) {
      for (const [dayNumber, tally] of counted)
        tallies.set(dayNumber, addTallies(tally, tallies.get(dayNumber) ?? NO_USAGE));
      throw error;
    }
  }

  return {
    count(flow, quantity = 1) {
      today()[flow] += quantity;
    },
    observe(level, bytes) {
      levels[level] = bytes;
      const tally = today();
      tally[level] = Math.max(tally[level], bytes);
    },
    async flush() {
      const hasRequests = [...tallies.values()].some(({ workerRequests }) => workerRequests > 0);
      if (hasRequests || clock.monotonic() - flushedMs >= IDLE_FLUSH_EVERY_MS) await flushAll();
    },
    flushAll,
  };
}

/** Adds the cost of writing the ledger's own row. */
function withOwnRow(tally: Tally): Usage {
  return { ...tally, rowsRead: tally.rowsRead + 1, rowsWritten: tally.rowsWritten + 1 };
}

function addTallies(one: Usage, other: Usage): Usage {
  return mapUsage((meter) =>
    isLevel(meter) ? Math.max(one[meter], other[meter]) : one[meter] + other[meter],
  );
}

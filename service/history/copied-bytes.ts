import { sql } from "#service/db/sql.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";

export const MINUTE_MS = 60_000;

/** Each write is one row; an archive on a Worker writes one per interval. */
const WRITE_EVERY_MS = 10_000;

/**
 * Bytes of parts that the store has confirmed, by minute. They are counted in memory and added to
 * the system history now and then; a process that dies loses what it counted since.
 */
export type CopiedBytes = {
  add(sizeBytes: number): void;
  /** Writes the counts if the last time is long enough ago. Bytes that cannot be written are kept. */
  flush(): Promise<void>;
  /** Writes the counts, for a process that ends. */
  flushAll(): Promise<void>;
};

export function createCopiedBytes(database: Database, clock: Clock): CopiedBytes {
  let counts = new Map<number, number>();
  let writtenMs = -Infinity;

  function addTo(minuteMs: number, sizeBytes: number): void {
    counts.set(minuteMs, (counts.get(minuteMs) ?? 0) + sizeBytes);
  }

  async function flushAll(): Promise<void> {
    if (counts.size === 0) return;
    const written = counts;
    counts = new Map();
    writtenMs = clock.monotonic();
    try {
      await database.batch(
        [...written].map(
          ([minuteMs, sizeBytes]) => sql`
            INSERT INTO system_history (kind, at, copied_bytes)
            VALUES ('minute', ${minuteMs}, ${sizeBytes})
            ON CONFLICT (kind, at, note)
              DO UPDATE SET copied_bytes = copied_bytes + excluded.copied_bytes`,
        ),
      );
    } catch (error) {
      for (const [minuteMs, sizeBytes] of written) addTo(minuteMs, sizeBytes);
      throw error;
    }
  }

  return {
    add(sizeBytes) {
      const nowMs = clock.now();
      addTo(nowMs - (nowMs % MINUTE_MS), sizeBytes);
    },
    async flush() {
      if (clock.monotonic() - writtenMs >= WRITE_EVERY_MS) await flushAll();
    },
    flushAll,
  };
}

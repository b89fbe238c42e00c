import { toJsonLine, toLogRow } from "#hosts/ports/log-line.ts";
import type { Database } from "#service/ports/database.ts";
import type { LogRecord, LogSink } from "#service/ports/log-sink.ts";

/**
 * Log records go to the runtime's console at once, from where Workers Logs collects them, and into
 * the `logs` table, which the console's System page shows, when the invocation flushes them.
 */
export type WorkerLogSink = LogSink & {
  /** Writes what waits. Never rejects. */
  flush(database: Database): Promise<void>;
};

/** Records waiting for the table; beyond it the table misses some. */
const MAX_WAITING = 1_000;

export function createWorkerLogSink(output: Pick<Console, "log">): WorkerLogSink {
  let waiting: LogRecord[] = [];
  return {
    write(record) {
      if (record.level !== "debug") output.log(toJsonLine(record));
      if (waiting.length < MAX_WAITING) waiting.push(record);
    },
    async flush(database) {
      if (waiting.length === 0) return;
      const records = waiting;
      waiting = [];
      try {
        await database.batch(records.map(toLogRow));
      } catch (error) {
        // Nowhere else to tell it: the table is what failed.
        output.log(`Log records could not be stored: ${String(error)}`);
      }
    },
  };
}

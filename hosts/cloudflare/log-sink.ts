import { toJsonLine, toLogRow } from "#hosts/ports/log-line.ts";
import type { Database } from "#service/ports/database.ts";
import type { LogRecord, LogSink } from "#service/ports/log-sink.ts";

/**
 * Writes log records to the console at once, where Workers Logs collects them. On flush, also
 * inserts them into the `logs` table, which the System page shows.
 */
export type WorkerLogSink = LogSink & {
  /** Writes the waiting records. Never rejects. */
  flush(database: Database): Promise<void>;
};

/** Records waiting for the table; further ones are only in the console. */
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
        // Console only: the table is what failed.
        output.log(`Log records could not be stored: ${String(error)}`);
      }
    },
  };
}

import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import type { LogRecord, LogSink } from "#service/ports/log-sink.ts";
import { toJsonLine, toLogRow } from "./log-line.ts";

/** Prints log records at once, but details for debugging. On flush, also inserts them into the `logs` table, which the console shows. */
export type StoredLogs = LogSink & {
  /** Stores the waiting records. Never rejects. */
  flush(database: Database): Promise<void>;
};

/** Records waiting for the table; further ones are only counted there. */
const MAX_WAITING = 1_000;

export function createStoredLogs(
  clock: Clock,
  print: (line: string) => void,
  toLine: (record: LogRecord) => string = toJsonLine,
): StoredLogs {
  let waiting: LogRecord[] = [];
  let missed = 0;

  function missedRecord(): LogRecord {
    const message = `${missed} log records were too many to be stored`;
    return { level: "warn", at: new Date(clock.now()), message, meta: {} };
  }

  return {
    write(record) {
      if (record.level !== "debug") print(toLine(record));
      if (waiting.length >= MAX_WAITING) missed += 1;
      else waiting.push(record);
    },
    async flush(database) {
      if (waiting.length === 0) return;
      const records = missed === 0 ? waiting : [...waiting, missedRecord()];
      waiting = [];
      missed = 0;
      try {
        await database.batch(records.map(toLogRow));
      } catch (error) {
        // Printed only: the table is what failed.
        print(`Log records could not be stored: ${String(error)}`);
      }
    },
  };
}

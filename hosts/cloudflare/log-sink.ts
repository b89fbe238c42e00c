import { sql } from "#service/db/sql.ts";
import type { Database, LogRecord, LogSink } from "#service/platform.ts";

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
        await database.batch(records.map(toInsert));
      } catch (error) {
        // Nowhere else to tell it: the table is what failed.
        output.log(`Log records could not be stored: ${String(error)}`);
      }
    },
  };
}

function toInsert({ level, at, message, meta }: LogRecord) {
  return sql`INSERT INTO logs (level, at, message, meta)
    VALUES (${level}, ${at.getTime()}, ${message}, ${metaText(meta)})`;
}

function toJsonLine({ level, at, message, meta }: LogRecord): string {
  const text = metaText(meta);
  const head = JSON.stringify({ level, timestamp: at.toISOString(), message });
  return text === null ? head : `${head.slice(0, -1)},"meta":${text}}`;
}

function metaText(meta: LogRecord["meta"]): string | null {
  if (Object.keys(meta).length === 0) return null;
  try {
    return JSON.stringify(meta);
  } catch {
    return JSON.stringify({ unreadable: true });
  }
}

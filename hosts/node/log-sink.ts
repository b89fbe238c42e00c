import { metaText, toJsonLine, toLogRow } from "#hosts/ports/log-line.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import type { LogLevel, LogRecord, LogSink } from "#service/ports/log-sink.ts";

/**
 * Writes log records to standard output at once, as JSON lines or in a readable form on a terminal,
 * and in small batches into the `logs` table, which the console shows. Neither blocks the caller.
 */
export type NodeLogSink = LogSink & {
  /** Also stores records in the table from now on, including earlier ones. */
  storeIn(database: Database): void;
  /** Writes the waiting records. */
  flush(): Promise<void>;
};

/** Records waiting for the table; further ones are only counted there. */
const MAX_WAITING = 1_000;

const FLUSH_INTERVAL_MS = 250;

const COLORS: Readonly<Record<LogLevel, string>> = {
  error: "\u001b[31m",
  warn: "\u001b[33m",
  info: "\u001b[36m",
  debug: "\u001b[90m",
};
const COLOR_END = "\u001b[0m";

export function createLogSink(
  clock: Clock,
  output: { readonly isTTY?: boolean; write(text: string): unknown },
): NodeLogSink {
  let waiting: LogRecord[] = [];
  let missed = 0;
  let database: Database | null = null;
  let timer: NodeJS.Timeout | null = null;

  async function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (database === null || waiting.length === 0) return;
    const records = missed === 0 ? waiting : [...waiting, missedRecord()];
    waiting = [];
    missed = 0;
    try {
      await database.batch(records.map(toLogRow));
    } catch (error) {
      // Standard output only: the table is what failed.
      output.write(`Log records could not be stored: ${String(error)}\n`);
    }
  }

  function missedRecord(): LogRecord {
    const message = `${missed} log records were too many to be stored`;
    return { level: "warn", at: new Date(clock.now()), message, meta: {} };
  }

  return {
    write(record) {
      if (record.level !== "debug")
        output.write(output.isTTY === true ? toReadableLine(record) : `${toJsonLine(record)}\n`);
      if (waiting.length >= MAX_WAITING) missed += 1;
      else waiting.push(record);
      if (database !== null) timer ??= setTimeout(() => void flush(), FLUSH_INTERVAL_MS).unref();
    },
    storeIn(target) {
      database = target;
      timer ??= setTimeout(() => void flush(), FLUSH_INTERVAL_MS).unref();
    },
    flush,
  };
}

function toReadableLine({ level, at, message, meta }: LogRecord): string {
  const time = at.toISOString().slice(11, 19);
  const details = metaText(meta) ?? "";
  return `${COLORS[level]}${time} ${level.padEnd(5)}${COLOR_END} ${message} ${details}\n`;
}

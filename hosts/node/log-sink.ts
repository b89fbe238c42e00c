import { metaText, toJsonLine } from "#hosts/ports/log-line.ts";
import { createStoredLogs } from "#hosts/ports/stored-logs.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import type { LogLevel, LogRecord, LogSink } from "#service/ports/log-sink.ts";

/**
 * Prints log records to standard output, as JSON lines or in a readable form on a terminal, and
 * stores them in small batches. Neither blocks the caller.
 */
export type NodeLogSink = LogSink & {
  /** Also stores records in the table from now on, including earlier ones. */
  storeIn(database: Database): void;
  /** Stores the waiting records. */
  flush(): Promise<void>;
};

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
  const logs = createStoredLogs(
    clock,
    (line) => output.write(`${line}\n`),
    output.isTTY === true ? toReadableLine : toJsonLine,
  );
  let database: Database | null = null;
  let timer: NodeJS.Timeout | null = null;

  async function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (database !== null) await logs.flush(database);
  }

  function flushSoon(): void {
    if (database !== null) timer ??= setTimeout(() => void flush(), FLUSH_INTERVAL_MS).unref();
  }

  return {
    write(record) {
      logs.write(record);
      flushSoon();
    },
    storeIn(target) {
      database = target;
      flushSoon();
    },
    flush,
  };
}

function toReadableLine({ level, at, message, meta }: LogRecord): string {
  const time = at.toISOString().slice(11, 19);
  const details = metaText(meta) ?? "";
  return `${COLORS[level]}${time} ${level.padEnd(5)}${COLOR_END} ${message} ${details}`;
}

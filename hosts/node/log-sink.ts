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

type JournalOptions = {
  /** Whether the output is read by systemd's journal. */
  readonly isJournal?: boolean;
};

export function createLogSink(
  clock: Clock,
  output: { readonly isTTY?: boolean; write(text: string): unknown },
  { isJournal = false }: JournalOptions = {},
): NodeLogSink {
  const toLine = output.isTTY === true ? toReadableLine : isJournal ? toJournalLine : toJsonLine;
  const logs = createStoredLogs(clock, (line) => output.write(`${line}\n`), toLine);
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

/** The journal takes a priority from the start of a line (sd-daemon(3)), for `journalctl -p`. */
export const JOURNAL_PRIORITIES: Readonly<Record<LogLevel, string>> = {
  error: "<3>",
  warn: "<4>",
  info: "<6>",
  debug: "<7>",
};

function toJournalLine(record: LogRecord): string {
  return JOURNAL_PRIORITIES[record.level] + toJsonLine(record);
}

function toReadableLine({ level, at, message, meta }: LogRecord): string {
  const time = at.toISOString().slice(11, 19);
  const details = metaText(meta) ?? "";
  return `${COLORS[level]}${time} ${level.padEnd(5)}${COLOR_END} ${message} ${details}`;
}

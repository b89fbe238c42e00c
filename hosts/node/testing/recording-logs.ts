import type { LogRecord, LogSink } from "#service/ports/log-sink.ts";

/** Keeps what is logged, for a test to look at. */
export function createRecordingLogs(): LogSink & { readonly records: readonly LogRecord[] } {
  const records: LogRecord[] = [];
  return { records, write: (record) => void records.push(record) };
}

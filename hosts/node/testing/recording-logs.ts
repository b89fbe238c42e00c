import type { LogRecord, LogSink } from "#service/ports/log-sink.ts";

/** Records log entries for tests. */
export function createRecordingLogs(): LogSink & { readonly records: readonly LogRecord[] } {
  const records: LogRecord[] = [];
  return { records, write: (record) => void records.push(record) };
}

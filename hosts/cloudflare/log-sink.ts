import { systemClock } from "#hosts/ports/clock.ts";
import { createStoredLogs, type StoredLogs } from "#hosts/ports/stored-logs.ts";

/** Prints to the console, where Workers Logs collects the records. */
export function createWorkerLogSink(output: Pick<Console, "log">): StoredLogs {
  return createStoredLogs(systemClock, (line) => output.log(line));
}

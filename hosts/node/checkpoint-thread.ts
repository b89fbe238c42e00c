import { fsyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import { fileNumber, type CheckpointAnswer, type CheckpointRequest } from "./checkpointer.ts";

/**
 * Checkpoints the write-ahead log into the database now and then, which also syncs it, and syncs it
 * at once on request, in a thread that answers no requests. PASSIVE never waits for readers or the
 * writer.
 */
const {
  path,
  intervalMs,
  opened,
}: { path: string; intervalMs: number; opened: ReturnType<typeof fileNumber> } = workerData;
let connection: DatabaseSync | null = null;
let log: number | null = null;

function open(): DatabaseSync {
  const opening = new DatabaseSync(path, { timeout: 0 });
  opening.exec("PRAGMA synchronous = NORMAL");
  return opening;
}

const timer = setInterval(() => {
  // Opening a missing file would create it, and a different file must not receive this log.
  if (connection === null && fileNumber(path) !== opened) return;
  try {
    connection ??= open();
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // Busy: the next round retries.
  }
}, intervalMs);

/** Commits are durable once the log is synced; other files can be recovered from it. */
function syncLog(): CheckpointAnswer {
  try {
    log ??= openSync(`${path}-wal`, "r");
    fsyncSync(log);
    return { error: null };
  } catch (error) {
    return { error };
  }
}

parentPort?.on("message", (request: CheckpointRequest) => {
  if (request === "sync") {
    parentPort?.postMessage(syncLog());
    return;
  }
  clearInterval(timer);
  connection?.close();
  parentPort?.close();
});

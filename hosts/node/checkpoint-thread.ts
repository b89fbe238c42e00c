import { fsyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { CheckpointAnswer, CheckpointRequest } from "./checkpointer.ts";
import { FILE_IS_GONE, FILE_IS_THERE, fileNumber } from "./file-number.ts";

/**
 * Syncs the write-ahead log to disk and checkpoints it into the database, in a thread that answers
 * no requests. PASSIVE never waits for readers or the writer.
 *
 * Syncs the log at once on request. Also watches whether the file is moved or replaced: SQLite
 * would go on writing to the old file, and those writes would be lost. Posts each change.
 */
const {
  path,
  intervalMs,
  opened,
}: { path: string; intervalMs: number; opened: ReturnType<typeof fileNumber> } = workerData;
let connection: DatabaseSync | null = null;
let log: number | null = null;
let isThere = true;

function open(): DatabaseSync {
  const opening = new DatabaseSync(path, { timeout: 0 });
  opening.exec("PRAGMA synchronous = NORMAL");
  return opening;
}

const timer = setInterval(() => {
  const wasThere = isThere;
  isThere = fileNumber(path) === opened;
  if (isThere !== wasThere) parentPort?.postMessage(isThere ? FILE_IS_THERE : FILE_IS_GONE);
  // Opening a missing file would create it.
  if (!isThere) return;
  try {
    connection ??= open();
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // Busy: the next round retries.
  }
}, intervalMs);

/** Commits are durable once the log is synced; other files can be recovered from it. */
function syncLog(): unknown {
  try {
    log ??= openSync(`${path}-wal`, "r");
    fsyncSync(log);
    return null;
  } catch (error) {
    return error;
  }
}

parentPort?.on("message", (request: CheckpointRequest) => {
  if (request !== "stop") {
    const answer: CheckpointAnswer = { synced: request.sync, error: syncLog() };
    parentPort?.postMessage(answer);
    return;
  }
  clearInterval(timer);
  connection?.close();
  parentPort?.close();
});

import { fsyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { CheckpointAnswer, CheckpointRequest } from "./checkpointer.ts";
import { FILE_IS_GONE, FILE_IS_THERE, fileNumber } from "./file-number.ts";

/**
 * Syncs the write-ahead log to disk and moves it into the database, away from the thread that
 * answers requests. PASSIVE never waits for readers or the writer.
 *
 * On request it syncs the log at once. Beside that it watches that the file stays: SQLite goes on with one that was moved away or
 * replaced, and what it writes there is lost at the end. Each change is posted.
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
  // Opening a file that is not there would make one.
  if (!isThere) return;
  try {
    connection ??= open();
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // Busy: the next round does it.
  }
}, intervalMs);

/** Commits are in the log; what else there is can be made from it. */
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

import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/**
 * Syncs the write-ahead log to disk and moves it into the database, away from the thread that
 * answers requests. PASSIVE never waits for readers or the writer.
 */
const { path, intervalMs }: { path: string; intervalMs: number } = workerData;
const connection = new DatabaseSync(path, { timeout: 0 });
connection.exec("PRAGMA synchronous = NORMAL");

const timer = setInterval(() => {
  try {
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
  } catch {
    // Busy: the next round does it.
  }
}, intervalMs);

parentPort?.once("message", () => {
  clearInterval(timer);
  connection.close();
  parentPort?.close();
});

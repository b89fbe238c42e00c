import { createHash } from "node:crypto";
import { open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { SnapshotFacts, Snapshots } from "#service/ports/snapshots.ts";
import { LAST_BACKUP_FILE } from "./last-backup.ts";
import { threadProgram } from "./thread-program.ts";

/** Snapshots of the database in `dataFolder`, each in a thread of its own with its own connection. */
export function createSnapshots(dataFolder: string): Snapshots {
  const path = join(dataFolder, "vodkeep.db.snapshot");
  return {
    async take() {
      const facts = await runThread({ from: join(dataFolder, "vodkeep.db"), to: path });
      return {
        ...facts,
        async read(offset, length) {
          const file = await open(path);
          try {
            const { bytesRead, buffer } = await file.read(
              new Uint8Array(length),
              0,
              length,
              offset,
            );
            return buffer.subarray(0, bytesRead);
          } finally {
            await file.close();
          }
        },
        async isSame(body) {
          const hash = createHash("sha256");
          for await (const piece of body) hash.update(piece);
          return hash.digest("hex") === facts.sha256;
        },
        remove: () => rm(path, { force: true }),
      };
    },
    noteBackup: () => writeFile(join(dataFolder, LAST_BACKUP_FILE), ""),
  };
}

function runThread(workerData: { from: string; to: string }): Promise<SnapshotFacts> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(threadProgram("snapshot-thread"), { workerData });
    worker.unref();
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("The thread ended without a snapshot")));
  });
}

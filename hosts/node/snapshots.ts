import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { SnapshotFacts, Snapshots } from "#service/ports/snapshots.ts";
import type { DatabaseFacts } from "./database-snapshot.ts";
import { noteBackup } from "./last-backup.ts";
import { threadProgram } from "./thread-program.ts";
import { DamagedBackupError, unpackBackup } from "./unpack-backup.ts";

/** What the thread finds in a database that was unpacked. */
export type Inspection = { readonly damage: string } | { readonly found: DatabaseFacts };

/** Snapshots of the database in `dataFolder`, each in a thread of its own with its own connection. */
export function createSnapshots(dataFolder: string): Snapshots {
  const path = join(dataFolder, "vodkeep.db.snapshot");
  const testFolder = join(dataFolder, "restore-test");
  const clear = { recursive: true, force: true };
  // What a process left that was killed.
  rmSync(testFolder, clear);
  return {
    async take() {
      const facts = await runThread<SnapshotFacts>("snapshot-thread", {
        from: join(dataFolder, "vodkeep.db"),
        to: path,
      });
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
    async tryRestoring(body, facts) {
      const copy = join(testFolder, "vodkeep.db");
      try {
        await mkdir(testFolder, { recursive: true });
        await unpackBackup(body, copy, { isCompressed: true, ...facts });
        const inspection = await runThread<Inspection>("inspect-thread", { path: copy });
        if ("damage" in inspection) return `SQLite finds it damaged: ${inspection.damage}.`;
        return describeDifference(inspection.found, facts);
      } catch (error) {
        if (error instanceof DamagedBackupError) return error.message;
        throw error;
      } finally {
        await rm(testFolder, clear);
      }
    },
    noteBackup: () => noteBackup(dataFolder),
  };
}

const COMPARED = [
  ["schema", "newest migration"],
  ["uploads", "number of uploads"],
  ["files", "number of files"],
  ["auditHead", "end of the audit log"],
] as const;

function describeDifference(found: DatabaseFacts, facts: DatabaseFacts): string | null {
  for (const [fact, name] of COMPARED)
    if (found[fact] !== facts[fact])
      return `Its ${name} is ${found[fact]}, and was ${facts[fact]} when it was made.`;
  return null;
}

function runThread<Answer>(
  program: Parameters<typeof threadProgram>[0],
  workerData: Readonly<Record<string, string>>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(threadProgram(program), { workerData });
    worker.unref();
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("The thread ended without an answer")));
  });
}

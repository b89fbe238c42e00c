import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, rmSync, statfsSync, statSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { parentPort, workerData } from "node:worker_threads";
import { createGzip } from "node:zlib";
import type { SnapshotFacts } from "#service/ports/snapshots.ts";
import { readFacts, snapshotSizeBytes, takeDatabaseSnapshot } from "./database-snapshot.ts";

/** Takes one compressed snapshot in a thread that answers no requests, and ends. */
const { from, to }: { from: string; to: string } = workerData;
const plain = `${to}.db`;

// On Linux this is the priority of the thread alone: requests are answered first.
setPriority(constants.priority.PRIORITY_LOW);

parentPort?.postMessage(await take());

/** Removes the plain copy before anybody knows of the result: the process may end at once. */
async function take(): Promise<SnapshotFacts> {
  try {
    requireSpace();
    takeDatabaseSnapshot(from, plain);
    const facts = readFacts(plain);
    const hash = createHash("sha256");
    await pipeline(
      createReadStream(plain),
      createGzip({ level: 3 }),
      async function* (compressed: AsyncIterable<Buffer>) {
        for await (const piece of compressed) {
          hash.update(piece);
          yield piece;
        }
      },
      createWriteStream(to),
    );
    return { ...facts, sizeBytes: statSync(to).size, sha256: hash.digest("hex") };
  } finally {
    rmSync(plain, { force: true });
  }
}

/** The copy and its compressed form must not take the space of archives to the last byte. */
function requireSpace(): void {
  const { bavail, bsize } = statfsSync(dirname(to));
  const neededBytes = 2 * snapshotSizeBytes(from);
  if (bavail * bsize < neededBytes)
    throw new Error(`A snapshot takes ${neededBytes} bytes, and ${bavail * bsize} are free`);
}

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDigests } from "#hosts/node/digests.ts";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { createS3Client } from "#hosts/node/s3-store/s3-client.ts";
import { createS3Store } from "#hosts/node/s3-store/s3-store.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { replaceOperations } from "#service/ports/object-store.ts";
import { serveLocally } from "../../scripts/testing/local-cloudflare.ts";
import { ensureConsoleBuilt, ensureWorkerBuilt } from "../../scripts/build.mjs";
import { databaseFile } from "../../scripts/local-worker.ts";
import { startChild } from "./child.ts";
import { checkStore, findLeftRows, readPlannedRemovals } from "./kill-check.ts";
import type { Killable } from "./killable.ts";

/** How long an archive's lease outlasts its runner (service/storage/lease.ts). */
const LEASE_MS = 20_000;

/** One in this many kills is followed by an immediate start, the others by a pause of one lease. */
const ONE_IN = 10;

/**
 * The built Worker in workerd. Its queues are in memory: each kill loses all messages, and work
 * resumes only through the scheduler object's alarm and its sweep.
 */
export function killableWorker(folder: string): Killable {
  return {
    async start(settings) {
      await ensureConsoleBuilt();
      await ensureWorkerBuilt();
      const environment = { ...settings, DATA_DIR: folder };
      return await startChild("scripts/run-cloudflare.ts", environment, [], { hasChildren: true });
    },
    afterKill(kills) {
      if (kills % ONE_IN === ONE_IN / 2) return true;
      // The pause is not real: the recorded times are moved instead.
      const database = new DatabaseSync(databaseFile(folder));
      database.prepare("UPDATE uploads SET lease_until = lease_until - ?").run(LEASE_MS);
      database.close();
      return false;
    },
    leftRows: () => findLeftRows(databaseFile(folder)),
    async check(expected) {
      const digests = createDigests();
      const outgoing = createOutgoingFetch();
      const runtime = await serveLocally(join(folder, "cloudflare"));
      const client = createS3Client({
        ...runtime.s3,
        fetch: outgoing.fetch,
        clock: systemClock,
        random: systemRandom,
      });
      const objects = createS3Store(client, digests, runtime.s3.address);
      // The local runtime cannot list unfinished uploads; R2 itself ends them after a week.
      const store = replaceOperations(objects, { listMultiparts: async () => null });
      const faults = await checkStore(store, expected, readPlannedRemovals(databaseFile(folder)));
      await runtime.close();
      await outgoing.close();
      await digests.close();
      return faults;
    },
    archivesAtOnce: 1,
    resumeWithinMs: 90_000,
    // As in hosts/cloudflare/slice.ts.
    unrecordedBytes: 64 * 1024 * 1024,
    fetchAheadBytes: 24 * 1024 * 1024,
  };
}

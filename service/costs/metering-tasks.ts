import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import type { UsageMeter } from "./usage-meter.ts";

/**
 * CPU time per request where the runtime cannot measure it: that of the API's list calls on a
 * Worker, rounded up.
 */
const CPU_MS_PER_REQUEST = 5;

/** Counts one request of the API. Static files and outgoing requests are free. */
export function countRequest(context: ServiceContext, meter: UsageMeter): void {
  meter.count("workerRequests");
  if (context.platform.runtime.cpuMs === undefined) meter.count("workerCpuMs", CPU_MS_PER_REQUEST);
}

/** Call every few seconds: adds the time of the processor, and writes what was counted. */
export function createUsageFlush(context: ServiceContext, meter: UsageMeter): () => Promise<void> {
  const { runtime } = context.platform;
  let cpuMsBefore = 0;
  return async () => {
    const cpuMs = runtime.cpuMs?.() ?? 0;
    meter.count("workerCpuMs", Math.max(0, cpuMs - cpuMsBefore));
    cpuMsBefore = cpuMs;
    await meter.flush();
  };
}

export async function sampleLevels(
  context: Pick<ServiceContext, "platform">,
  meter: UsageMeter,
): Promise<void> {
  const { database } = context.platform;
  meter.observe("storedBytesPeak", await readStoredBytes(database));
  const databaseBytes = await database.sizeBytes?.();
  if (databaseBytes !== undefined) meter.observe("databaseBytesPeak", databaseBytes);
}

/**
 * Bytes that the object store holds and bills: every indexed file, the parts of unfinished uploads,
 * which the index does not list yet (R2 bills pending multiparts), and the backups of the database.
 */
export async function readStoredBytes(database: Database): Promise<number> {
  const [row] = await database.all(sql`
    SELECT (SELECT value FROM counters WHERE name = 'files.bytes')
      + (SELECT backups_kept_bytes FROM deployment)
      + (SELECT coalesce(sum(u.stored_bytes), 0) FROM uploads u
          WHERE u.multipart_id IS NOT NULL AND u.status <> 'completed'
            AND NOT EXISTS (SELECT 1 FROM files f WHERE f.upload_id = u.id)) AS bytes`);
  return z.object({ bytes: z.number() }).parse(row).bytes;
}

import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { probeStore, PROBE_KEY } from "#service/store/store-probe.ts";
import { describeDatabaseFault, tryWriting } from "./database-room.ts";
import { probeDisk, watchDisk } from "./disk-probe.ts";
import { recordProbe, type Component, type ProbeResult } from "./health-store.ts";
import { probeQueue } from "./queue-probe.ts";
import type { WorkerProbe } from "./worker-probe.ts";

/**
 * Checks each part of the system by using it. Failures and recoveries show within thirty seconds.
 */

const PROBE_EVERY_MS = 15_000;

/** A probe without an answer in this time has failed. */
const PROBE_TIMEOUT_MS = 5_000;

/** A part that answers more slowly is degraded. */
const SLOW_MS = 1_000;

/**
 * Writing is probed every twentieth time, i.e. every five minutes, because stores bill puts and
 * lists (17,000 a month; R2 includes a million).
 */
const PROBES_PER_WRITE = 20;

const HEALTHY: ProbeResult = { status: "healthy", detail: null };

export function scheduleHealthProbes(context: ServiceContext, workers: WorkerProbe): void {
  const { platform } = context;
  let turns = 0;
  platform.scheduler.every(PROBE_EVERY_MS, "health probes", async () => {
    const writes = turns % PROBES_PER_WRITE === 0;
    turns += 1;
    await Promise.all([
      probe(context, "r2Storage", () => askStore(context, writes)),
      probe(context, "d1Database", () => probeDatabase(context)),
      probe(context, "workers", () => workers.probe()),
      probe(context, "vodResumeQueue", () => probeQueue(context)),
      watchDisk(context),
    ]);
  });
}

export async function probe(
  { platform, log }: ServiceContext,
  component: Component,
  run: () => Promise<ProbeResult>,
): Promise<void> {
  const { clock, database } = platform;
  const startedMs = clock.monotonic();
  const answered = new AbortController();
  let result: ProbeResult;
  let failure: unknown = null;
  try {
    result = await Promise.race([run(), timeOut(clock.sleep(PROBE_TIMEOUT_MS, answered.signal))]);
    const spentMs = Math.round(clock.monotonic() - startedMs);
    if (result.status === "healthy" && spentMs > SLOW_MS)
      result = { status: "degraded", detail: `It took ${spentMs} ms to respond.` };
  } catch (error) {
    const detail = describeFailure(error);
    result = { status: "unhealthy", detail };
    failure = error;
  } finally {
    answered.abort();
  }
  const failures = await recordProbe(database, component, result, clock.now());
  // Logs only the first of consecutive failures, not one every fifteen seconds.
  if (failures === 1) log.warn("A health probe failed", { component, error: failure });
}

function describeFailure(error: unknown): string {
  if (error instanceof DatabaseError && error.kind === "full") return describeDatabaseFault(error);
  return error instanceof Error ? error.message : "It is not responding.";
}

async function timeOut(sleeping: Promise<void>): Promise<never> {
  await sleeping;
  throw new Error(`It did not respond within ${PROBE_TIMEOUT_MS / 1_000} s.`);
}

async function askStore(context: ServiceContext, writes: boolean): Promise<ProbeResult> {
  const space = await probeDisk(context);
  if (writes) await probeStore(context);
  // By GET, because an answer to HEAD has no body to give the reason of a refusal.
  else await (await context.platform.objects.get(PROBE_KEY))?.body.cancel();
  return space;
}

/** Reads, and writes a row that needs new space. */
async function probeDatabase({ platform: { database } }: ServiceContext): Promise<ProbeResult> {
  const [row] = await database.all(sql`SELECT count(*) AS steps FROM migrations`);
  await tryWriting(database);
  if (Number(row?.steps ?? 0) === 0) throw new Error("Its schema is missing.");
  return HEALTHY;
}

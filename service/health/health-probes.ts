import type { ServiceContext } from "#service/context.ts";
import type { Clock } from "#service/ports/clock.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { pingStore, probeStore } from "#service/store/store-probe.ts";
import { describeDatabaseFault, tryWriting } from "./database-room.ts";
import { createDiskWatch, probeDisk } from "./disk-probe.ts";
import { recordProbes, type ComponentResult, type ProbeResult } from "./health-store.ts";
import type { Component } from "./parts.ts";
import { probeQueue } from "./queue-probe.ts";
import { judgeRecentEvents } from "./recent-events.ts";
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
  const { clock, scheduler } = context.platform;
  const watchDisk = createDiskWatch(context);
  let turns = 0;
  scheduler.every(PROBE_EVERY_MS, "health probes", async () => {
    const writes = turns % PROBES_PER_WRITE === 0;
    turns += 1;
    const probed = await Promise.all([
      probe(clock, "r2Storage", () => checkStore(context, writes)),
      probe(clock, "d1Database", () => checkDatabase(context)),
      probe(clock, "vodResumeQueue", () => probeQueue(context)),
      probe(clock, "disk", () => probeDisk(context)),
    ]);
    // After the others, so that the first round follows the first sweep.
    probed.push(await probe(clock, "workers", () => workers.probe()));
    // Without the database, its own probe has failed, and these would say nothing new.
    const events = await judgeRecentEvents(context).catch(() => []);
    await recordAll(context, [...probed, ...events]);
    await watchDisk();
  });
}

/** A component's result, and the error if there was none. */
export type Probed = ComponentResult & { readonly error?: unknown };

export async function probe(
  clock: Clock,
  component: Component,
  run: () => Promise<ProbeResult>,
): Promise<Probed> {
  const startedMs = clock.monotonic();
  const answered = new AbortController();
  try {
    const result = await Promise.race([
      run(),
      timeOut(clock.sleep(PROBE_TIMEOUT_MS, answered.signal)),
    ]);
    const spentMs = Math.round(clock.monotonic() - startedMs);
    return result.status === "healthy" && spentMs > SLOW_MS
      ? { component, status: "degraded", detail: `It took ${spentMs} ms to respond.` }
      : { component, ...result };
  } catch (error) {
    return { component, status: "unhealthy", detail: describeFailure(error), error };
  } finally {
    answered.abort();
  }
}

export async function recordAll(
  { platform, log }: ServiceContext,
  probed: readonly Probed[],
): Promise<void> {
  const failures = await recordProbes(platform.database, probed, platform.clock.now());
  // Logs only the first of consecutive failures, not one every fifteen seconds.
  for (const { component, error } of probed)
    if (failures.get(component) === 1) log.warn("A health probe failed", { component, error });
}

function describeFailure(error: unknown): string {
  if (error instanceof DatabaseError && error.kind === "full") return describeDatabaseFault(error);
  return error instanceof Error ? error.message : "It is not responding.";
}

async function timeOut(sleeping: Promise<void>): Promise<never> {
  await sleeping;
  throw new Error(`It did not respond within ${PROBE_TIMEOUT_MS / 1_000} s.`);
}

async function checkStore(context: ServiceContext, writes: boolean): Promise<ProbeResult> {
  if (writes) await probeStore(context);
  else await pingStore(context);
  return HEALTHY;
}

async function checkDatabase({ platform }: ServiceContext): Promise<ProbeResult> {
  await tryWriting(platform.database);
  return HEALTHY;
}

import type { ServiceContext } from "#service/context.ts";
import { scheduleHealthProbes } from "./health-probes.ts";
import type { ProbeResult } from "./health-store.ts";
import { pruneLogs } from "./log-store.ts";

const PRUNE_EVERY_MS = 600_000;

export function scheduleSystemTasks(
  context: ServiceContext,
  workers: () => Promise<ProbeResult>,
): void {
  const { scheduler, database, clock } = context.platform;
  scheduleHealthProbes(context, workers);
  scheduler.every(PRUNE_EVERY_MS, "log retention", () => pruneLogs(database, clock.now()));
}

import type { ServiceContext } from "#service/context.ts";
import type { ClockTrust } from "#service/clock-trust.ts";
import type { CopiedBytes } from "./copied-bytes.ts";
import { scheduleHealthProbes } from "./health-probes.ts";
import { createHistorySampler, pruneHistory } from "./history-samples.ts";
import { pruneLogs } from "./log-store.ts";
import type { WorkerProbe } from "./worker-probe.ts";

const PRUNE_EVERY_MS = 600_000;

/** A minute is written once; asking more often misses none. */
const SAMPLE_EVERY_MS = 10_000;

export function scheduleSystemTasks(
  context: ServiceContext,
  clockTrust: ClockTrust,
  workers: WorkerProbe,
  copiedBytes: CopiedBytes,
): void {
  const { scheduler, database } = context.platform;
  scheduleHealthProbes(context, workers);
  const sample = createHistorySampler(context.platform);
  scheduler.every(SAMPLE_EVERY_MS, "system history", async () => {
    await copiedBytes.flush();
    await sample();
  });
  scheduler.every(PRUNE_EVERY_MS, "log retention", () =>
    clockTrust.ifTrusted(async (nowMs) => {
      await pruneLogs(database, nowMs);
      await pruneHistory(database, nowMs);
    }),
  );
}

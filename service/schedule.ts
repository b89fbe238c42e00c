import { flagStandstills } from "./archiver/standstill.ts";
import { scheduleAuditTasks } from "./audit/audit-tasks.ts";
import { scheduleSessionTasks } from "./auth/session-tasks.ts";
import { judgeVods, judgeGrowing } from "./channels/judge.ts";
import { announceDanger, recordLost } from "./channels/lost-vods.ts";
import { startByRules } from "./channels/start.ts";
import type { ServiceContext } from "./context.ts";
import { schedulePolling } from "./channels/follow.ts";
import { scheduleAlertCheck } from "./costs/alert-check.ts";
import { createUsageFlush, sampleLevels } from "./costs/metering-tasks.ts";
import { scheduleBackfills } from "./db/backfills.ts";
import { createPendingWork, LOOK_EVERY_MS, type PendingWork } from "./db/pending-work.ts";
import { sql } from "./db/sql.ts";
import type { Features } from "./features.ts";
import { reconcilePage } from "./proof/reconcile.ts";
import { scheduleNotifications } from "./notifications/notification-tasks.ts";
import { dueKinds } from "./jobs/job-runner.ts";
import { createClockTrust, type ClockTrust } from "./clock-trust.ts";
import { expireManualUploads, sweepManualUploads } from "./manual-uploads/sweep.ts";
import type { OpenedContext } from "./open-context.ts";
import { pruneRows } from "./pruning.ts";
import { removeStrayMultiparts } from "./storage/stray-multiparts.ts";
import { runRetention } from "./trash/retention-run.ts";
import { scheduleHealthProbes } from "#service/health/health-probes.ts";
import { createHistorySampler } from "#service/history/history-samples.ts";
import { scheduleSecretRenewal } from "./webhooks/webhook-secrets.ts";

/** Tasks that run for longer than a moment. */
export type LongTasks = {
  readonly polling: { stop(): void };
  readonly notifications: { stop(): void };
};

/** A tenth of the default of STALL_AFTER_MS. */
const STANDSTILL_EVERY_MS = 60_000;

/** For those that could not start at once: a channel's basis, room or a pause may have changed. */
const RULES_EVERY_MS = 30_000;

/** Retention counts in days. */
const TRASH_EVERY_MS = 3_600_000;

const PRUNE_EVERY_MS = 3_600_000;

/** How often a page of the store may be due. */
const RECONCILE_EVERY_MS = 15_000;
/** Pages per tick, so that other work is not held up. */
const PAGES_A_TICK = 20;

const STRAYS_EVERY_MS = 3_600_000;

/** A process that dies loses at most this much counting. */
const COUNT_EVERY_MS = 5_000;

/** Shorter peaks may be missed; archives are stored for much longer. */
const LEVELS_EVERY_MS = 60_000;

/** A minute is written once; asking more often misses none. */
const SAMPLE_EVERY_MS = 10_000;

/** Schedules all background work. */
export function scheduleTasks(opened: OpenedContext, features: Features): LongTasks {
  const { context } = opened;
  const { database, clock, scheduler } = context.platform;
  const pending = createPendingWork(database, clock);
  const clockTrust = createClockTrust(context);
  scheduleSweeps(context, pending, clockTrust, features);
  scheduleSessionTasks(context, { ...features.auth, cipher: features.cipher });
  scheduleCounts(opened, features);
  scheduleAlertCheck(context);
  scheduleAuditTasks(context, pending, features.auditChain);
  scheduleHealthProbes(context, features.workers);
  scheduler.every(PRUNE_EVERY_MS, "retention of rows", () =>
    clockTrust.ifTrusted((nowMs) => pruneRows(context, features.auditChain, nowMs)),
  );
  scheduleBackfills(context, pending);
  scheduleSecretRenewal(context, features.cipher);
  scheduler.every(
    LOOK_EVERY_MS,
    "jobs",
    pending.when(dueKinds, () => features.jobs.round()),
  );
  scheduler.every(RECONCILE_EVERY_MS, "store reconciliation", async () => {
    for (let page = 0; page < PAGES_A_TICK; page += 1) if (!(await reconcilePage(context))) return;
  });
  scheduler.every(STRAYS_EVERY_MS, "stray multipart uploads", () => removeStrayMultiparts(context));
  return {
    polling: schedulePolling(context, pending, features.backgroundTwitchApi),
    notifications: scheduleNotifications(context, pending, features.messaging, features.jobs),
  };
}

/** What is counted in memory is written now and then. */
function scheduleCounts(
  { context, meter, copiedBytes }: OpenedContext,
  { refusals }: Features,
): void {
  const { scheduler } = context.platform;
  const flushUsage = createUsageFlush(context, meter);
  scheduler.every(COUNT_EVERY_MS, "counts", async () => {
    await Promise.all([flushUsage(), refusals.flush(), copiedBytes.flush()]);
  });
  scheduler.every(LEVELS_EVERY_MS, "storage peak", () => sampleLevels(context, meter));
  scheduler.every(SAMPLE_EVERY_MS, "system history", createHistorySampler(context.platform));
}

/** Separate tasks, so that a store that does not answer delays none of the others. */
function scheduleSweeps(
  context: ServiceContext,
  pending: PendingWork,
  clockTrust: ClockTrust,
  { archiver, manualUploads, workers }: Features,
): void {
  const { scheduler, database, clock } = context.platform;
  const openUpload = sql`SELECT 1 FROM uploads WHERE status IN ('pending', 'processing')`;
  const sweepManual = pending.when(openUpload, async () => {
    await clockTrust.ifTrusted((nowMs) => expireManualUploads(manualUploads, nowMs));
    await sweepManualUploads(manualUploads);
  });
  const sweepArchives = pending.when(openUpload, () => archiver.sweep());
  scheduler.every(LOOK_EVERY_MS, "archive wake-ups", async () => {
    await archiver.endHold();
    await sweepArchives();
    workers.noteSweep();
  });
  scheduler.every(
    STANDSTILL_EVERY_MS,
    "standing archives",
    pending.when(openUpload, () => flagStandstills(context)),
  );
  scheduler.every(
    RULES_EVERY_MS,
    "starts by rules",
    pending.when(sql`SELECT 1 FROM channels`, async () => {
      await judgeGrowing(database, clock.now());
      await startByRules(context);
      await announceDanger(context);
    }),
  );
  scheduler.every(LOOK_EVERY_MS, "manual uploads", sweepManual);
  scheduler.every(
    TRASH_EVERY_MS,
    "trash",
    pending.when(sql`SELECT 1 FROM channels`, async () => {
      await clockTrust.ifTrusted(async (nowMs) => {
        await runRetention(context, nowMs);
        await judgeVods(database, null, nowMs);
      });
      await recordLost(context);
    }),
  );
}

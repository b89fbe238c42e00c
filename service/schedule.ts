import { flagStandstills } from "./archiver/standstill.ts";
import { scheduleAuditTasks } from "./audit/audit-tasks.ts";
import { scheduleSessionTasks } from "./auth/session-tasks.ts";
import { judgeVods, judgeGrowing } from "./channels/judge.ts";
import { announceDanger, recordLost } from "./channels/lost-vods.ts";
import { startByRules } from "./channels/start.ts";
import type { ServiceContext } from "./context.ts";
import { schedulePolling } from "./channels/follow.ts";
import { scheduleAlertCheck } from "./costs/alert-check.ts";
import { scheduleMetering } from "./costs/metering-tasks.ts";
import { scheduleBackfills } from "./db/backfills.ts";
import { createPendingWork, LOOK_EVERY_MS, type PendingWork } from "./db/pending-work.ts";
import { sql } from "./db/sql.ts";
import { scheduleTwitchWatch } from "./doctor/twitch-watch.ts";
import type { Features } from "./features.ts";
import { scheduleStorageTasks } from "./proof/storage-tasks.ts";
import { scheduleNotifications } from "./notifications/notification-tasks.ts";
import { dueKinds } from "./jobs/job-runner.ts";
import { createClockTrust, type ClockTrust } from "./clock-trust.ts";
import { expireManualUploads, sweepManualUploads } from "./manual-uploads/sweep.ts";
import type { OpenedContext } from "./open-context.ts";
import { runRetention } from "./trash/retention-run.ts";
import { scheduleSystemTasks } from "./system/system-tasks.ts";
import { scheduleSecretRenewal } from "./webhooks/webhook-secrets.ts";

/** Tasks that run for longer than a moment. */
export type LongTasks = {
  readonly storage: { stop(): void };
  readonly polling: { stop(): void };
  readonly notifications: { stop(): void };
};

/** A tenth of the default of STALL_AFTER_MS. */
const STANDSTILL_EVERY_MS = 60_000;

/** For those that could not start at once: a channel's basis, room or a pause may have changed. */
const RULES_EVERY_MS = 30_000;

/** Retention counts in days. */
const TRASH_EVERY_MS = 3_600_000;

/** Schedules all background work. */
export function scheduleTasks(
  { context, meter, copiedBytes }: OpenedContext,
  features: Features,
): LongTasks {
  const { database, clock } = context.platform;
  const pending = createPendingWork(database, clock);
  const clockTrust = createClockTrust(context);
  scheduleSweeps(context, pending, clockTrust, features);
  scheduleSessionTasks(context, clockTrust, { ...features.auth, cipher: features.cipher });
  scheduleMetering(context, meter);
  scheduleAlertCheck(context);
  scheduleAuditTasks(context, pending, clockTrust, features.auditChain, features.refusals);
  scheduleSystemTasks(context, clockTrust, features.workers, copiedBytes);
  scheduleTwitchWatch(context);
  features.backups.schedule();
  scheduleBackfills(context, pending);
  scheduleSecretRenewal(context, features.cipher);
  context.platform.scheduler.every(
    LOOK_EVERY_MS,
    "jobs",
    pending.when(dueKinds, () => features.jobs.round()),
  );
  const storage = scheduleStorageTasks(context);
  return {
    storage,
    polling: schedulePolling(context, pending, features.backgroundTwitchApi),
    notifications: scheduleNotifications(
      context,
      pending,
      clockTrust,
      features.messaging,
      features.jobs,
    ),
  };
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
  scheduler.every(LOOK_EVERY_MS, "store hold", () => archiver.endHold());
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

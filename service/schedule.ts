import { scheduleAuditTasks } from "./audit/audit-tasks.ts";
import { scheduleSessionTasks } from "./auth/session-tasks.ts";
import { scheduleAlertCheck } from "./costs/alert-check.ts";
import { scheduleMetering } from "./costs/metering-tasks.ts";
import type { Features } from "./features.ts";
import { scheduleStorageTasks } from "./files/storage-tasks.ts";
import { scheduleNotifications } from "./notifications/notification-tasks.ts";
import type { OpenedContext } from "./open-context.ts";
import { carryOutRemovals } from "./storage/store-removals.ts";
import { scheduleSystemTasks } from "./system/system-tasks.ts";
import { scheduleOwnerIndex } from "./uploads/renamed-owners.ts";
import { scheduleBanCancellations } from "./users/ban-cancellations.ts";

/** An archive whose runner died resumes within its lease of 20 s plus this interval. */
const SWEEP_EVERY_MS = 3_000;

/** Tasks that run for longer than a moment. */
export type LongTasks = {
  readonly storage: { stop(): void };
  readonly notifications: { stop(): void };
};

/** Schedules all background work. */
export function scheduleTasks(
  { context, meter, copiedBytes }: OpenedContext,
  features: Features,
): LongTasks {
  scheduleSessionTasks(context, { ...features.auth, cipher: features.cipher });
  scheduleMetering(context, meter);
  scheduleAlertCheck(context);
  scheduleAuditTasks(context, features.auditChain, features.refusals);
  scheduleSystemTasks(context, features.workers, copiedBytes);
  scheduleBanCancellations(context);
  scheduleOwnerIndex(context);
  const storage = scheduleStorageTasks(context);
  scheduleSweeps(context, features);
  return { storage, notifications: scheduleNotifications(context, features.messaging) };
}

/** Separate tasks, so that a store that does not answer delays none of the others. */
function scheduleSweeps(
  context: OpenedContext["context"],
  { archiver, manualUploads, workers }: Features,
): void {
  const { scheduler } = context.platform;
  scheduler.every(SWEEP_EVERY_MS, "store removals", () => carryOutRemovals(context));
  scheduler.every(SWEEP_EVERY_MS, "store hold", () => archiver.endHold());
  scheduler.every(SWEEP_EVERY_MS, "manual uploads", () => manualUploads.sweep());
  scheduler.every(SWEEP_EVERY_MS, "archive wake-ups", async () => {
    await archiver.sweep();
    workers.noteSweep();
  });
}

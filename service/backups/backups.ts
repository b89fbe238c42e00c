import type { ServiceContext } from "#service/context.ts";
import { readRecord, recordBackupFailure } from "./backup-record.ts";
import { isBackupDue } from "./backup-times.ts";
import { makeBackup } from "./nightly-backup.ts";
import { isTestDue, testRestoring } from "./restore-test.ts";
import { backupTimeMs, listStoredBackups } from "./stored-backups.ts";

/** The task of backups, and what asks for one. */
export type BackupTask = {
  /** Has one made within seconds. False if one is asked for or being made. */
  request(): boolean;
  isRunning(): boolean;
  /** Does nothing on hosts without snapshots, whose database has a history of its own. */
  schedule(): void;
};

/** A failed backup is repeated after this time. */
const LOOK_EVERY_MS = 600_000;

/** How soon a request is noticed. Reads nothing. */
const TURN_MS = 2_000;

export function createBackups(context: ServiceContext): BackupTask {
  const { snapshots, scheduler, clock, database, objects } = context.platform;
  let isAskedFor = false;
  let isMaking = false;
  /** Undefined until the store was asked. */
  let newestMs: number | null | undefined;
  // The start of the process has more urgent work.
  let lookAtMs = clock.monotonic() + LOOK_EVERY_MS;

  async function turn(): Promise<void> {
    if (snapshots === undefined) return;
    if (!isAskedFor && clock.monotonic() < lookAtMs) return;
    lookAtMs = clock.monotonic() + LOOK_EVERY_MS;
    const { BACKUP_AT: atMs } = context.settings;
    try {
      if (newestMs === undefined) {
        const [newest] = (await listStoredBackups(objects, clock.now())).times;
        newestMs = newest === undefined ? null : backupTimeMs(newest);
      }
      if (isAskedFor || (atMs !== null && isBackupDue(newestMs, clock.now(), atMs))) {
        isMaking = true;
        newestMs = await makeBackup(context, snapshots);
      }
    } catch (error) {
      context.log.warn("The database could not be backed up", { error });
      await recordBackupFailure(context, error);
      return;
    } finally {
      isAskedFor = isMaking = false;
    }
    if (atMs !== null && newestMs !== null && isTestDue(await readRecord(database), clock.now()))
      await testRestoring(context, snapshots);
  }

  return {
    request() {
      if (isAskedFor || isMaking) return false;
      isAskedFor = true;
      return true;
    },
    isRunning: () => isAskedFor || isMaking,
    schedule() {
      if (snapshots !== undefined) scheduler.every(TURN_MS, "backup", turn);
    },
  };
}

import type { Backups } from "#contract/backups.ts";
import type { ServiceContext } from "#service/context.ts";
import { type BackupRecord, readRecord } from "./backup-record.ts";
import { lastDueMs, nextDueMs } from "./backup-times.ts";
import { AFTER_SUCCESS_MS } from "./restore-test.ts";

const DAY_MS = 24 * 3_600_000;

/** A missed night shows; one that is late does not. */
const OLD_AFTER_MS = 48 * 3_600_000;

/** For the console. */
export async function readBackupState({
  platform,
}: Pick<ServiceContext, "platform">): Promise<Backups> {
  const { database, clock, snapshots } = platform;
  const record = await readRecord(database);
  const {
    backup_made_at: madeMs,
    backup_size_bytes: sizeBytes,
    backups_kept: kept,
    failing_since_at: failingMs,
  } = record;
  const { backup_tested_at: testedMs, backup_tested_made_at: testedMadeMs } = record;
  const kind = snapshots === undefined ? "history" : "nightly";
  const dueMs = kind === "nightly" ? nextDueMs(madeMs, clock.now()) : null;
  return {
    kind,
    isRunning: record.due_at !== null && record.due_at <= clock.now(),
    dueAt: instantOf(dueMs),
    isOverdue: kind === "nightly" && isOld(record, clock.now()),
    last: madeMs === null ? null : { at: instantOf(madeMs), sizeBytes: sizeBytes ?? 0 },
    kept,
    failure:
      failingMs === null ? null : { sinceAt: instantOf(failingMs), text: record.error ?? "" },
    test:
      testedMs === null || testedMadeMs === null
        ? null
        : {
            at: instantOf(testedMs),
            backupAt: instantOf(testedMadeMs),
            uploads: record.backup_tested_uploads ?? 0,
            files: record.backup_tested_files ?? 0,
          },
    testFailure:
      record.test_error === null
        ? null
        : { isDamaged: record.backup_damaged_at !== null, text: record.test_error },
  };
}

/**
 * When the next backup and the next restore test should have succeeded, counted from the last success or
 * the deployment's first day; null without nightly backups.
 */
export async function readBackupDueTimes({
  platform: { database, snapshots },
}: Pick<ServiceContext, "platform">): Promise<{
  readonly nightlyMs: number;
  readonly testMs: number;
} | null> {
  if (snapshots === undefined) return null;
  const {
    backup_made_at: madeMs,
    backup_tested_at: testedMs,
    since_at: sinceMs,
  } = await readRecord(database);
  const nightlyMs = lastDueMs(Math.max(madeMs ?? 0, sinceMs)) + DAY_MS;
  return { nightlyMs, testMs: Math.max(testedMs ?? 0, sinceMs) + AFTER_SUCCESS_MS };
}

/** A sentence that says what needs attention; null if nothing does, undefined without nightly backups. */
export async function findBackupProblem({
  platform: { database, clock, snapshots },
}: Pick<ServiceContext, "platform">): Promise<string | null | undefined> {
  if (snapshots === undefined) return undefined;
  const record = await readRecord(database);
  const sentences = [
    ...(isOld(record, clock.now()) ? ["No backup was made for two days.", record.error] : []),
    ...(record.backup_damaged_at === null
      ? []
      : ["A backup could not be restored in a test.", record.test_error]),
  ].filter((sentence) => sentence !== null);
  return sentences.length === 0 ? null : sentences.join(" ");
}

function isOld(
  { backup_made_at: madeMs, since_at: sinceMs }: BackupRecord,
  nowMs: number,
): boolean {
  return nowMs - Math.max(madeMs ?? 0, sinceMs) > OLD_AFTER_MS;
}

function instantOf(ms: number): string;
function instantOf(ms: number | null): string | null;
function instantOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

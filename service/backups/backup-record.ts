import * as z from "zod/mini";
import { recordedChange } from "#service/changes/recorded-change.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/*
 * What is known of the last backup and of the last restore test, for people and for health. What fails
 * is said by their jobs; which backups there are, only the store says.
 */

/** Two nights in a row: the second one has had an hour of tries. */
const ANNOUNCED_AFTER_MS = 25 * 3_600_000;

const time = z.nullable(z.number());

const recordRow = z.object({
  /** When this deployment was first able to make one. */
  since_at: z.number(),
  backup_made_at: time,
  backup_size_bytes: z.nullable(z.number()),
  backups_kept: z.number(),
  backups_kept_bytes: z.number(),
  due_at: time,
  failing_since_at: time,
  error: z.nullable(z.string()),
  backup_tested_at: time,
  backup_tested_made_at: time,
  backup_tested_uploads: z.nullable(z.number()),
  backup_tested_files: z.nullable(z.number()),
  backup_damaged_at: time,
  test_error: z.nullable(z.string()),
});
export type BackupRecord = z.infer<typeof recordRow>;

export async function readRecord(database: Pick<Database, "all">): Promise<BackupRecord> {
  const [row] = await database.all(sql`SELECT d.*, backup.due_at, backup.failing_since_at,
      backup.error, coalesce(d.backup_damage, test.error) AS test_error,
      (SELECT applied_at FROM migrations WHERE name = '0007-system') AS since_at
    FROM deployment d LEFT JOIN jobs backup ON backup.kind = 'backup'
      LEFT JOIN jobs test ON test.kind = 'restoreTest'`);
  return recordRow.parse(row);
}

export type MadeBackup = {
  readonly atMs: number;
  readonly sizeBytes: number;
  readonly kept: number;
  readonly keptBytes: number;
};

export function recordBackup(made: MadeBackup): Statement {
  return sql`UPDATE deployment SET backup_made_at = ${made.atMs}, backup_size_bytes = ${made.sizeBytes},
    backups_kept = ${made.kept}, backups_kept_bytes = ${made.keptBytes}, backup_failure_is_announced = 0`;
}

/** Administrators are notified once in a series of failures. */
export function announceFailure(text: string, nowMs: number): readonly Statement[] {
  return recordedChange(
    sql`UPDATE deployment SET backup_failure_is_announced = 1 WHERE backup_failure_is_announced = 0 AND EXISTS (
      SELECT 1 FROM jobs
      WHERE kind = 'backup' AND failing_since_at <= ${nowMs - ANNOUNCED_AFTER_MS})`,
    nowMs,
    { event: eventOf("backup", "The database was not backed up for two nights", text) },
  );
}

export function recordRestored(
  tested: { madeAtMs: number; uploads: number; files: number },
  nowMs: number,
): readonly Statement[] {
  return [
    sql`UPDATE deployment SET backup_tested_at = ${nowMs}, backup_tested_made_at = ${tested.madeAtMs},
      backup_tested_uploads = ${tested.uploads}, backup_tested_files = ${tested.files}, backup_damaged_at = NULL,
      backup_damage = NULL`,
  ];
}

/** A damaged backup. Administrators are notified once, until a test succeeds. */
export function recordDamage(text: string, nowMs: number): readonly Statement[] {
  return [
    sql`UPDATE deployment SET backup_damage = ${text}`,
    ...recordedChange(
      sql`UPDATE deployment SET backup_damaged_at = ${nowMs} WHERE backup_damaged_at IS NULL`,
      nowMs,
      { event: eventOf("restore", "A backup could not be restored in a test", text) },
    ),
  ];
}

function eventOf(subject: string, title: string, body: string) {
  return { type: "backup_failed", subject, title, body, link: "/system" } as const;
}

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
  made_at: time,
  size_bytes: z.nullable(z.number()),
  kept: z.number(),
  kept_bytes: z.number(),
  due_at: time,
  failing_since_at: time,
  error: z.nullable(z.string()),
  tested_at: time,
  tested_made_at: time,
  tested_uploads: z.nullable(z.number()),
  tested_files: z.nullable(z.number()),
  damaged_at: time,
  test_error: z.nullable(z.string()),
});
export type BackupRecord = z.infer<typeof recordRow>;

export async function readRecord(database: Pick<Database, "all">): Promise<BackupRecord> {
  const [row] = await database.all(sql`SELECT r.*, backup.due_at, backup.failing_since_at,
      backup.error, coalesce(r.damage, test.error) AS test_error,
      (SELECT applied_at FROM migrations WHERE name = '0007-system') AS since_at
    FROM backup_record r LEFT JOIN jobs backup ON backup.kind = 'backup'
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
  return sql`UPDATE backup_record SET made_at = ${made.atMs}, size_bytes = ${made.sizeBytes},
    kept = ${made.kept}, kept_bytes = ${made.keptBytes}, is_announced = 0`;
}

/** Administrators are notified once in a series of failures. */
export function announceFailure(text: string, nowMs: number): readonly Statement[] {
  return recordedChange(
    sql`UPDATE backup_record SET is_announced = 1 WHERE is_announced = 0 AND EXISTS (
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
    sql`UPDATE backup_record SET tested_at = ${nowMs}, tested_made_at = ${tested.madeAtMs},
      tested_uploads = ${tested.uploads}, tested_files = ${tested.files}, damaged_at = NULL,
      damage = NULL`,
  ];
}

/** A damaged backup. Administrators are notified once, until a test succeeds. */
export function recordDamage(text: string, nowMs: number): readonly Statement[] {
  return [
    sql`UPDATE backup_record SET damage = ${text}`,
    ...recordedChange(
      sql`UPDATE backup_record SET damaged_at = ${nowMs} WHERE damaged_at IS NULL`,
      nowMs,
      { event: eventOf("restore", "A backup could not be restored in a test", text) },
    ),
  ];
}

function eventOf(subject: string, title: string, body: string) {
  return { type: "backup_failed", subject, title, body, link: "/system" } as const;
}

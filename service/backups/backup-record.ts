import * as z from "zod/mini";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { foreignWords } from "#service/secrets/foreign-words.ts";

/*
 * What is known of the last backup and of the last restore test, for people and for health. Which
 * backups there are, only the store says.
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
  failing_since_at: time,
  error: z.nullable(z.string()),
  tested_at: time,
  tested_made_at: time,
  tested_uploads: z.nullable(z.number()),
  tested_files: z.nullable(z.number()),
  test_tried_at: time,
  test_failed_at: time,
  test_error: z.nullable(z.string()),
});
export type BackupRecord = z.infer<typeof recordRow>;

export async function readRecord(database: Pick<Database, "all">): Promise<BackupRecord> {
  const [row] = await database.all(sql`SELECT backup_record.*,
    (SELECT applied_at FROM migrations WHERE name = '0007-system') AS since_at FROM backup_record`);
  return recordRow.parse(row);
}

export async function recordBackup(
  { platform }: ServiceContext,
  made: { atMs: number; sizeBytes: number; kept: number; keptBytes: number },
): Promise<void> {
  await platform.database.run(sql`UPDATE backup_record SET made_at = ${made.atMs},
    size_bytes = ${made.sizeBytes}, kept = ${made.kept}, kept_bytes = ${made.keptBytes},
    failing_since_at = NULL, error = NULL, is_announced = 0`);
}

/** Administrators are notified once in a series of failures. */
export async function recordBackupFailure(
  { platform }: ServiceContext,
  error: unknown,
): Promise<void> {
  const nowMs = platform.clock.now();
  const text = wordsOf(error);
  await platform.database.batch([
    sql`UPDATE backup_record SET error = ${text},
      failing_since_at = min(coalesce(failing_since_at, ${nowMs}), ${nowMs})`,
    ...recordedChange(
      sql`UPDATE backup_record SET is_announced = 1
        WHERE is_announced = 0 AND failing_since_at <= ${nowMs - ANNOUNCED_AFTER_MS}`,
      nowMs,
      { event: eventOf("backup", "The database was not backed up for two nights", text) },
    ),
  ]);
}

export async function recordRestored(
  { platform }: ServiceContext,
  tested: { madeAtMs: number; uploads: number; files: number },
): Promise<void> {
  const nowMs = platform.clock.now();
  await platform.database.run(sql`UPDATE backup_record SET tested_at = ${nowMs},
    test_tried_at = ${nowMs}, tested_made_at = ${tested.madeAtMs}, tested_uploads = ${tested.uploads},
    tested_files = ${tested.files}, test_failed_at = NULL, test_error = NULL`);
}

/** A damaged backup. Administrators are notified once, until a test succeeds. */
export async function recordDamage({ platform }: ServiceContext, text: string): Promise<void> {
  const nowMs = platform.clock.now();
  await platform.database.batch([
    sql`UPDATE backup_record SET test_tried_at = ${nowMs}, test_error = ${text}`,
    ...recordedChange(
      sql`UPDATE backup_record SET test_failed_at = ${nowMs} WHERE test_failed_at IS NULL`,
      nowMs,
      { event: eventOf("restore", "A backup could not be restored in a test", text) },
    ),
  ]);
}

/** Nothing was learned: a backup that was found damaged stays so. */
export async function recordUntested({ platform }: ServiceContext, error: unknown): Promise<void> {
  await platform.database.run(sql`UPDATE backup_record SET test_tried_at = ${platform.clock.now()},
    test_error = iif(test_failed_at IS NULL, ${wordsOf(error)}, test_error)`);
}

function wordsOf(error: unknown): string {
  return foreignWords(error instanceof Error ? error.message : String(error));
}

function eventOf(subject: string, title: string, body: string) {
  return { type: "backup_failed", subject, title, body, link: "/system" } as const;
}

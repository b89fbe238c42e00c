import * as z from "zod/mini";
import { MAX_WAITING_WORK, type WaitingWork } from "#contract/system.ts";
import { sql } from "#service/db/sql.ts";
import { NEVER_MS } from "#service/db/due-time.ts";
import { KINDS, optionsOf } from "#service/jobs/job-kinds.ts";
import { SOLE } from "#service/jobs/jobs.ts";
import type { Platform } from "#service/platform.ts";

const ARCHIVE = "archive";
const NAMES = new Map<string, string>([
  [ARCHIVE, "Archive"],
  ...KINDS.map((kind) => [kind, optionsOf(kind).name] as const),
]);

const ROUTINE = JSON.stringify(KINDS.filter((kind) => optionsOf(kind).isRoutine));

const workRow = z.object({
  kind: z.string(),
  subject: z.nullable(z.string()),
  lease_until: z.nullable(z.number()),
  due_at: z.number(),
  attempts: z.number(),
  error: z.nullable(z.string()),
  total: z.number(),
});

/** All jobs that will become due, except for routine ones before their time, and the archives that wait for another try. */
export async function listWaitingWork({
  database,
  clock,
}: Pick<Platform, "database" | "clock">): Promise<WaitingWork> {
  const nowMs = clock.now();
  const rows = await database.all(sql`
    WITH work AS (
      SELECT kind, key, lease_until, due_at, attempts, error FROM jobs
        WHERE due_at < ${NEVER_MS} AND (due_at <= ${nowMs} OR error IS NOT NULL
          OR kind NOT IN (SELECT value FROM json_each(${ROUTINE})))
      UNION ALL SELECT ${ARCHIVE}, id, NULL, next_attempt_at, attempts, error_message FROM uploads
        WHERE status IN ('pending', 'processing') AND kind <> 'manual'
          AND next_attempt_at > ${nowMs} AND next_attempt_at < ${NEVER_MS})
    SELECT w.*, coalesce(p.title, p.filename, json_extract(f.metadata, '$.title'), f.filename,
      o.display_name, h.name, nullif(w.key, ${SOLE})) AS subject
    FROM (SELECT *, count(*) OVER () AS total,
          row_number() OVER (PARTITION BY kind ORDER BY error IS NULL, due_at) AS nth
        FROM work ORDER BY nth, error IS NULL, due_at LIMIT ${MAX_WAITING_WORK}) w
      LEFT JOIN uploads p ON p.id = w.key
      LEFT JOIN files f ON f.object_key = w.key
      LEFT JOIN users o ON o.id = w.key
      LEFT JOIN webhooks h ON h.id = w.key
    ORDER BY w.error IS NULL, w.due_at`);
  const work = rows.map((row) => workRow.parse(row));
  return {
    items: work.map(({ kind, subject, lease_until: leaseUntilMs, due_at: dueAtMs, ...row }) => ({
      work: NAMES.get(kind) ?? kind,
      subject,
      isRunning: (leaseUntilMs ?? 0) > nowMs,
      dueAt: new Date(dueAtMs).toISOString(),
      attempts: row.attempts,
      error: row.error,
    })),
    total: work[0]?.total ?? 0,
  };
}

import * as z from "zod/mini";
import {
  HISTORY_RANGES,
  historyMarkSchema,
  type HistoryMark,
  type HistoryRange,
  type SystemHistory,
} from "#contract/system-history.ts";
import { instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { MINUTE_MS } from "./copied-bytes.ts";

/** By then a minute has been sampled, and the bytes copied in it were written. */
const SAMPLED_AFTER_MS = 20_000;

const MAX_MARKS = 50;

/**
 * Samples in equal steps up to the last whole minute, and what happened in that time. Reads at most
 * 2,400 rows.
 */
export async function readSystemHistory(
  database: Database,
  range: HistoryRange,
  nowMs: number,
): Promise<SystemHistory> {
  const { stepSec, points } = HISTORY_RANGES[range];
  const stepMs = stepSec * 1_000;
  const sampledMs = nowMs - SAMPLED_AFTER_MS;
  const endMs = sampledMs - (sampledMs % MINUTE_MS);
  const startMs = Math.ceil(endMs / stepMs) * stepMs - points * stepMs;
  const [samples, marks] = await Promise.all([
    readSamples(database, { startMs, endMs, stepMs }),
    readMarks(database, startMs),
  ]);
  const series = (of: (sample: Sample) => number | null) =>
    Array.from({ length: points }, (_point, index) => {
      const sample = samples.get(startMs + index * stepMs);
      return sample === undefined ? null : of(sample);
    });
  return {
    startsAt: new Date(startMs).toISOString(),
    stepSec,
    activeUploads: series((sample) => sample.active_uploads),
    // The last step is not over yet.
    bytesPerSec: series(
      ({ step_at: atMs, copied_bytes: bytes }) => bytes / (Math.min(stepMs, endMs - atMs) / 1_000),
    ),
    storedBytes: series((sample) => sample.stored_bytes),
    failedUploads: series((sample) => sample.failed_uploads),
    queueAgeSec: series(({ queue_age_ms: ageMs }) => (ageMs === null ? null : ageMs / 1_000)),
    marks,
  };
}

const sampleRow = z.object({
  step_at: z.number(),
  active_uploads: z.nullable(z.number()),
  copied_bytes: z.number(),
  stored_bytes: z.nullable(z.number()),
  failed_uploads: z.nullable(z.number()),
  queue_age_ms: z.nullable(z.number()),
});
type Sample = z.infer<typeof sampleRow>;

async function readSamples(
  database: Database,
  { startMs, endMs, stepMs }: Record<"startMs" | "endMs" | "stepMs", number>,
): Promise<ReadonlyMap<number, Sample>> {
  // Bound numbers are REAL, which would not give whole steps.
  const rows = await database.all(sql`
    SELECT at / CAST(${stepMs} AS INTEGER) * CAST(${stepMs} AS INTEGER) AS step_at,
      max(active_uploads) AS active_uploads, sum(copied_bytes) AS copied_bytes,
      max(stored_bytes) AS stored_bytes, sum(failed_uploads) AS failed_uploads,
      max(queue_age_ms) AS queue_age_ms
    FROM system_history
    WHERE kind IN ('minute', 'hour') AND at >= ${startMs} AND at < ${endMs} GROUP BY step_at`);
  return new Map(
    rows.map((row) => {
      const sample = sampleRow.parse(row);
      return [sample.step_at, sample];
    }),
  );
}

const markRow = z.extend(historyMarkSchema, { at: instantColumn });

async function readMarks(database: Database, startMs: number): Promise<HistoryMark[]> {
  const rows = await database.all(sql`
    SELECT CASE WHEN kind = 'start' AND note <> (
        SELECT b.note FROM system_history b
        WHERE b.kind = 'start' AND b.at < h.at ORDER BY b.at DESC LIMIT 1
      ) THEN 'deployment' ELSE kind END AS kind, at, note AS detail
    FROM system_history h WHERE kind IN ('start', 'alert') AND at >= ${startMs}
    UNION ALL
    SELECT 'restart', at, '' FROM audit INDEXED BY audit_by_action
    WHERE action = 'workers.restart' AND result = 'done' AND at >= ${startMs}
    ORDER BY at DESC LIMIT ${MAX_MARKS}`);
  return rows.map((row) => markRow.parse(row)).toReversed();
}

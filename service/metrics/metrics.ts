import type { Health, SystemMetrics } from "#contract/system.ts";
import type { ServiceContext } from "#service/context.ts";
import { readCostAnalysis } from "#service/costs/cost-analysis.ts";
import { readCounters } from "#service/db/counters.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { readHealth, type ProbeResult } from "#service/health/health-store.ts";
import { verdictOf } from "#service/health/health-verdict.ts";
import { storageUse } from "#service/space/storage-use.ts";

/** The data of the System screen and its stream, from maintained counts and probes. */
export async function readMetrics(context: ServiceContext): Promise<SystemMetrics> {
  const { platform, settings } = context;
  const { database, clock, runtime } = platform;
  const nowMs = clock.now();
  const [counters, health, otherRecords, finished, costAnalysis] = await Promise.all([
    readCounters(database),
    readHealth(database, runtime.startedAt, nowMs),
    countOtherRecords(database),
    countFinished(database, nowMs - THROUGHPUT_WINDOW_MS),
    readCostAnalysis(context),
  ]);
  const storage = storageUse(counters.of("files.bytes"), settings);
  const users = counters.of("users.total");
  return {
    uptime: Math.max(0, Math.floor((nowMs - runtime.startedAt.getTime()) / 1_000)),
    totalUploads: counters.uploads,
    activeUploads: counters.of("uploads.processing"),
    failedUploads: counters.of("uploads.failed"),
    health: verdictOf(health),
    cloudflare: {
      r2Storage: {
        usedGB: storage.usedGB,
        utilization: `${round(Math.max(0, storage.percentage), 1)}%`,
        ...healthOf(health.r2Storage),
      },
      d1Database: {
        totalRecords: counters.uploads + counters.files + users + otherRecords,
        ...healthOf(health.d1Database),
      },
      workers: { environment: settings.ENVIRONMENT, ...healthOf(health.workers) },
      queues: { vodResumeQueue: healthOf(health.vodResumeQueue) },
    },
    costAnalysis,
    performance: {
      throughput: `${round(finished / (THROUGHPUT_WINDOW_MS / 60_000), 1)} ops/min`,
    },
  };
}

function healthOf({ status, detail }: ProbeResult): Health {
  return detail === null ? { status } : { status, reason: detail };
}

/** Long enough for a smooth value, short enough to show a standstill. */
const THROUGHPUT_WINDOW_MS = 5 * 60_000;

/** Operations that took effect; each writes an audit row, including those of the archive engine. */
async function countFinished(database: Database, sinceMs: number): Promise<number> {
  // Without the hint SQLite would read every entry that is done.
  const [row] = await database.all(sql`
    SELECT count(*) AS finished FROM audit INDEXED BY audit_by_time
    WHERE result = 'done' AND at >= ${sinceMs}`);
  return Number(row?.finished ?? 0);
}

/** Derives row counts from the first and last row number: both tables are pruned from the start. */
async function countOtherRecords(database: Database): Promise<number> {
  const [row] = await database.all(sql`
    SELECT (SELECT coalesce(max(seq), 0) FROM audit) - (SELECT coalesce(min(seq) - 1, 0) FROM audit)
      + (SELECT coalesce(max(seq), 0) FROM logs) - (SELECT coalesce(min(seq) - 1, 0) FROM logs)
      AS records`);
  return Number(row?.records ?? 0);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

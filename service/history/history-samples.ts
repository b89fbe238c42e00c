import { TEST_PREFIX } from "#service/changes/notification-event.ts";
import { readCounters } from "#service/db/counters.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { BUILD } from "#service/version.ts";
import { MINUTE_MS } from "./copied-bytes.ts";
import { readWaiting } from "#service/health/queue-probe.ts";

const HOUR_MS = 60 * MINUTE_MS;

/** The widest range that is shown by the minute is a day. */
const MINUTES_KEPT_MS = 25 * HOUR_MS;
/** A month is shown; a service that runs for an hour a day needs a year to empty its trash. */
const HOURS_KEPT_MS = 366 * 24 * HOUR_MS;

/** So that a process that starts again and again does not fill the table. */
const MAX_MARKS = 200;

/**
 * Records each minute once it has ended: its failures, and the levels at its end. Call it more often
 * than once a minute; the first call records the start of the process.
 */
export function createHistorySampler({
  database,
  clock,
  runtime,
}: Pick<Platform, "database" | "clock" | "runtime">): () => Promise<void> {
  const startedMs = runtime.startedAt.getTime();
  let sampledMs = -Infinity;
  return async () => {
    if (sampledMs === -Infinity) {
      await database.run(sql`
        INSERT INTO system_history (kind, at, note) VALUES ('start', ${startedMs}, ${BUILD})
        ON CONFLICT DO NOTHING`);
      sampledMs = 0;
    }
    const nowMs = clock.now();
    const minuteMs = nowMs - (nowMs % MINUTE_MS) - MINUTE_MS;
    if (minuteMs === sampledMs || minuteMs + MINUTE_MS <= startedMs) return;
    const [counters, { oldestAt }] = await Promise.all([
      readCounters(database),
      readWaiting(database, nowMs),
    ]);
    await database.batch([
      sql`INSERT INTO system_history (kind, at, active_uploads, stored_bytes, failed_uploads, queue_age_ms)
        VALUES ('minute', ${minuteMs}, ${counters.of("uploads.processing")},
          ${counters.of("files.bytes")}, ${countFailed(minuteMs)},
          ${oldestAt === null ? 0 : Math.max(nowMs - oldestAt, 0)})
        ON CONFLICT (kind, at, note) DO UPDATE SET active_uploads = excluded.active_uploads,
          stored_bytes = excluded.stored_bytes, failed_uploads = excluded.failed_uploads,
          queue_age_ms = excluded.queue_age_ms`,
      recordAlerts(nowMs),
    ]);
    sampledMs = minuteMs;
  };
}

/** Without the hint SQLite would read every failed upload. */
function countFailed(minuteMs: number): Statement {
  return sql`(SELECT count(*) FROM uploads INDEXED BY uploads_failed
    WHERE status = 'failed' AND failed_at >= ${minuteMs} AND failed_at < ${minuteMs + MINUTE_MS})`;
}

/** Reads the newest events only: no index orders them by time, and alerts are picked up each minute. */
function recordAlerts(nowMs: number): Statement {
  return sql`INSERT INTO system_history (kind, at, note)
    SELECT 'alert', created_at, title FROM notification_events
    WHERE seq > (SELECT max(seq) FROM notification_events) - 200 AND created_at >= ${nowMs - HOUR_MS}
      AND coalesce(subject, '') NOT GLOB ${`${TEST_PREFIX}*`}
      AND type IN ('service_unhealthy', 'disk_space_low', 'budget_warning', 'budget_exceeded')
    ON CONFLICT DO NOTHING`;
}

/** Turns minutes into hours after a day, and drops what is a year old. */
export async function pruneHistory(database: Database, nowMs: number): Promise<void> {
  const firstMinuteMs = nowMs - MINUTES_KEPT_MS - ((nowMs - MINUTES_KEPT_MS) % HOUR_MS);
  await database.batch([
    sql`INSERT INTO system_history
        (kind, at, active_uploads, copied_bytes, stored_bytes, failed_uploads, queue_age_ms)
      SELECT 'hour', at / 3600000 * 3600000 AS hour_at, max(active_uploads), sum(copied_bytes),
        max(stored_bytes), sum(failed_uploads), max(queue_age_ms)
      FROM system_history WHERE kind = 'minute' AND at < ${firstMinuteMs} GROUP BY hour_at
      ON CONFLICT (kind, at, note) DO UPDATE SET copied_bytes = copied_bytes + excluded.copied_bytes`,
    sql`DELETE FROM system_history WHERE kind = 'minute' AND at < ${firstMinuteMs}`,
    ...["hour", "start", "alert"].map(
      (kind) =>
        sql`DELETE FROM system_history WHERE kind = ${kind} AND at < ${nowMs - HOURS_KEPT_MS}`,
    ),
    ...["start", "alert"].map(
      (kind) => sql`DELETE FROM system_history WHERE kind = ${kind} AND at <=
        (SELECT at FROM system_history WHERE kind = ${kind} ORDER BY at DESC LIMIT 1 OFFSET ${MAX_MARKS})`,
    ),
  ]);
}

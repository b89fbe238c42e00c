import * as z from "zod/mini";
import { dashboardHistorySchema, type DashboardHistory } from "#contract/dashboard.ts";
import { HISTORY_DAYS } from "#contract/limits.ts";
import type { Permission } from "#contract/permissions.ts";
import { readCounters } from "#service/db/counters.ts";
import { sql } from "#service/db/sql.ts";
import type { Row } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";

/**
 * Repeated in SQL as a literal: bound numbers are REAL, so dividing by one would not give whole
 * days.
 */
const DAY_MS = 86_400_000;

const CACHE_KEY = "dashboard.history";
/** Two weeks change slowly, and counting recent failures reads each of them. */
const KEPT_MS = 5 * 60_000;

type Series = readonly (number | null)[];
type HistoryPlatform = Pick<Platform, "database" | "cache" | "clock">;

/** Counted from rows; a day without a record has no value. */
export async function readDashboardHistory(
  platform: HistoryPlatform,
  permissions: readonly Permission[],
): Promise<DashboardHistory> {
  const all = (await keptHistory(platform)) ?? (await countHistory(platform));
  const mayRead = (permission: Permission) => permissions.includes(permission);
  return {
    today: all.today,
    uploads: mayRead("read:uploads") ? all.uploads : null,
    failed: mayRead("read:uploads") ? all.failed : null,
    users: mayRead("read:users") ? all.users : null,
    storedBytes: mayRead("read:uploads") ? all.storedBytes : null,
  };
}

/** Null when nothing is cached, or the cached history ends on another day. */
async function keptHistory({ cache, clock }: HistoryPlatform): Promise<DashboardHistory | null> {
  const text = await cache.get(CACHE_KEY);
  if (text === null) return null;
  const kept = dashboardHistorySchema.parse(JSON.parse(text));
  return kept.today === dayName(Math.floor(clock.now() / DAY_MS)) ? kept : null;
}

async function countHistory({
  database,
  cache,
  clock,
}: HistoryPlatform): Promise<DashboardHistory> {
  const today = Math.floor(clock.now() / DAY_MS);
  const first = today - HISTORY_DAYS + 1;
  const sinceMs = first * DAY_MS;
  const [counters, begun, failed, joined, stored] = await Promise.all([
    readCounters(database),
    database.all(sql`
      SELECT created_at / 86400000 AS day, count(*) AS value FROM uploads
      WHERE created_at >= ${sinceMs} GROUP BY day`),
    // Without the hint SQLite would read every failed upload.
    database.all(sql`
      SELECT failed_at / 86400000 AS day, count(*) AS value FROM uploads INDEXED BY uploads_failed
      WHERE status = 'failed' AND failed_at >= ${sinceMs} GROUP BY day`),
    database.all(sql`
      SELECT created_at / 86400000 AS day, count(*) AS value FROM users
      WHERE created_at >= ${sinceMs} GROUP BY day`),
    database.all(sql`
      SELECT unixepoch(day) / 86400 AS day, stored_bytes_peak AS value FROM usage_days
      WHERE day >= ${dayName(first)}`),
  ]);
  const users = totalsBack(counters.of("users.total"), seriesOf(joined, first, 0));
  /** Before its first account, the service was not in use. */
  const inUse = (series: Series) => series.map((value, day) => (users[day] === 0 ? null : value));
  const history = dashboardHistorySchema.parse({
    today: dayName(today),
    uploads: inUse(seriesOf(begun, first, 0)),
    failed: inUse(seriesOf(failed, first, 0)),
    users: inUse(users),
    storedBytes: seriesOf(stored, first, null),
  });
  await cache.set(CACHE_KEY, JSON.stringify(history), KEPT_MS);
  return history;
}

const dayRow = z.object({ day: z.number(), value: z.number() });

function seriesOf(rows: readonly Row[], first: number, absent: number | null): Series {
  const values = new Map(
    rows.map((row) => {
      const { day, value } = dayRow.parse(row);
      return [day, value];
    }),
  );
  return Array.from({ length: HISTORY_DAYS }, (_day, index) => values.get(first + index) ?? absent);
}

/** The total at the end of each day, computed back from today's total and each day's additions. */
function totalsBack(total: number, added: Series): Series {
  let after = total;
  return added
    .toReversed()
    .map((ofDay) => {
      const atEnd = after;
      after -= ofDay ?? 0;
      return atEnd;
    })
    .toReversed();
}

function dayName(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

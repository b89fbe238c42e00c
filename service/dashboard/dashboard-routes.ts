import * as z from "zod/mini";
import * as calls from "#contract/dashboard.ts";
import type { ServiceContext } from "#service/context.ts";
import { principalOf, route, type Route } from "#service/http/route.ts";
import type { DashboardStats } from "#contract/dashboard.ts";
import type { Permission } from "#contract/permissions.ts";
import { readCounters } from "#service/db/counters.ts";
import { sql } from "#service/db/sql.ts";
import { readObjectsDisk, roomIn } from "#service/space/disk-space.ts";
import { storageUse } from "#service/system/storage-use.ts";
import { dayStartMs } from "#service/uploads/day-start.ts";

export function dashboardRoutes(context: ServiceContext): Route[] {
  return [
    route(calls.dashboardStats, ({ context: request, query }) =>
      readDashboardStats(context, principalOf(request).permissions, query.dayStart),
    ),
  ];
}

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/**
 * Reads maintained counts, so the cost depends only on the number of uploads of the day. A block is null
 * for an administrator without permission to read what it counts.
 */
async function readDashboardStats(
  { platform, settings }: ServiceContext,
  permissions: readonly Permission[],
  dayStart?: string,
): Promise<DashboardStats> {
  const nowMs = platform.clock.now();
  const today = Math.floor(nowMs / DAY_MS);
  const counters = await readCounters(platform.database);
  const [[day], disk] = await Promise.all([
    platform.database.all(sql`
      SELECT count(*) AS uploads,
        (SELECT count(*) FROM users INDEXED BY users_by_login_time
          WHERE last_login_at IS NOT NULL AND banned_at IS NULL) AS activeUsers,
        (SELECT coalesce(sum(trashed_bytes), 0) FROM file_counts WHERE user_id = '*') AS trashBytes,
        (SELECT (${counters.of("files.bytes")} - stored_bytes_peak)
            / (${today} - unixepoch(day) / 86400) FROM usage_days
          WHERE unixepoch(day) / 86400 BETWEEN ${today - WEEK_DAYS} AND ${today - 1}
          ORDER BY day LIMIT 1) AS bytesPerDay
      FROM uploads WHERE created_at >= ${dayStartMs(dayStart, nowMs)}`),
    readObjectsDisk({ platform, settings }),
  ]);
  const storage = storageUse(counters.of("files.bytes"), settings);
  return {
    uploads: permissions.includes("read:uploads")
      ? {
          total: counters.uploads,
          today: Number(day?.uploads ?? 0),
          completed: counters.of("uploads.completed"),
          processing: counters.of("uploads.processing"),
          failed: counters.of("uploads.failed"),
          pending: counters.of("uploads.pending"),
        }
      : null,
    users: permissions.includes("read:users")
      ? { active: Number(day?.activeUsers ?? 0), total: counters.of("users.total") }
      : null,
    storage: permissions.includes("read:uploads")
      ? {
          used: storage.usedBytes,
          free: disk && Math.max(0, Math.floor(roomIn(disk))),
          percentage: storage.percentage,
          trashBytes: Number(day?.trashBytes ?? 0),
          bytesPerDay: z.nullable(z.number()).parse(day?.["bytesPerDay"]),
        }
      : null,
  };
}

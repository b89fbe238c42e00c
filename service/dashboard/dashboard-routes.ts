import * as z from "zod/mini";
import type { AnyCall, DataOf, QueryOf } from "#contract/call.ts";
import { addressOf } from "#contract/call-request.ts";
import { listChannels } from "#contract/channels.ts";
import * as costs from "#contract/costs.ts";
import * as calls from "#contract/dashboard.ts";
import * as system from "#contract/system.ts";
import * as uploads from "#contract/uploads.ts";
import type { ServiceContext } from "#service/context.ts";
import { parseInput } from "#service/http/parse-input.ts";
import { readQuery } from "#service/http/request-query.ts";
import { principalOf, route, type RequestContext, type Route } from "#service/http/route.ts";
import type { DashboardStats, DashboardView } from "#contract/dashboard.ts";
import type { Permission } from "#contract/permissions.ts";
import { readCounters } from "#service/db/counters.ts";
import { sql } from "#service/db/sql.ts";
import { readObjectsDisk, roomIn } from "#service/space/disk-space.ts";
import { storageUse } from "#service/space/storage-use.ts";
import { dayStartMs } from "#service/uploads/day-start.ts";

/** `others` answer the calls whose data the first view combines. */
export function dashboardRoutes(context: ServiceContext, others: readonly Route[]): Route[] {
  const readStats = (request: RequestContext, { dayStart }: QueryOf<typeof calls.dashboardStats>) =>
    readDashboardStats(context, principalOf(request).permissions, dayStart);
  return [
    route(calls.dashboardStats, ({ context: request, query }) => readStats(request, query)),
    route(calls.dashboardView, async ({ context: request, query }) => ({
      ...(await readParts(others, request, query)),
      stats: await readStats(request, query),
    })),
  ];
}

/** Every part by the handler of its own call, if the administrator may make that one. */
async function readParts(
  routes: readonly Route[],
  context: RequestContext,
  { dayStart, setup }: QueryOf<typeof calls.dashboardView>,
): Promise<Omit<DashboardView, "stats">> {
  const { permissions } = principalOf(context);

  async function ask<C extends AnyCall>(call: C, query: object = {}): Promise<DataOf<C> | null> {
    if (!permissions.some((one) => one === call.policy)) return null;
    const found = routes.find((one) => one.call.path === call.path && one.call.method === "GET");
    if (found === undefined) throw new Error(`${call.path} has no handler`);
    const search = addressOf(call, { query }).slice(call.path.length);
    const input = { params: undefined, query: parseInput(call.query, readQuery(search)) };
    // It answers this very call.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (await found.handle({ ...input, body: undefined, context })) as DataOf<C>;
  }

  const { running, recent, failed, channels, alerts } = calls.DASHBOARD_LISTS;
  const parts = {
    work: ask(uploads.uploadWork, { dayStart }),
    running: ask(uploads.listUploads, running),
    recent: ask(uploads.listUploads, recent),
    failed: ask(uploads.listFailedUploads, failed),
    channels: ask(listChannels, channels),
    metrics: ask(system.systemMetrics),
    breakdown: ask(costs.costBreakdown),
    budgets: ask(costs.budgets),
    alerts: ask(costs.costAlerts, alerts),
    thresholds: ask(costs.thresholds),
    setup: setup === true ? ask(system.systemSetup) : Promise.resolve(null),
  };
  await Promise.all(Object.values(parts));
  return {
    work: await parts.work,
    running: await parts.running,
    recent: await parts.recent,
    failed: await parts.failed,
    channels: await parts.channels,
    metrics: await parts.metrics,
    breakdown: await parts.breakdown,
    budgets: await parts.budgets,
    alerts: await parts.alerts,
    thresholds: await parts.thresholds,
    setup: await parts.setup,
  };
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

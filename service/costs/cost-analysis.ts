import * as z from "zod/mini";
import type { SystemMetrics } from "#contract/system.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { readMonthCost, type MonthCost } from "./month-cost.ts";
import { roundUsd, totalCost, type CostLines } from "./cost-lines.ts";
import type { CostDay } from "./price-usage.ts";

/** The cost part of the system metrics. */
export async function readCostAnalysis(
  context: Pick<ServiceContext, "platform">,
): Promise<SystemMetrics["costAnalysis"]> {
  const { database } = context.platform;
  const [month, counters] = await Promise.all([
    readMonthCost(context),
    database.all(sql`
      SELECT name, value FROM counters
      WHERE name IN ('uploads.completed', 'users.total', 'files.bytes')`),
  ]);
  const counts = new Map(
    counters.map((row) => {
      const { name, value } = counterSchema.parse(row);
      return [name, value];
    }),
  );
  const perUnit = (units: number) => (units > 0 ? roundUsd(month.totalUsd / units) : null);
  return {
    costTrend: directionOf(month),
    dailyCosts: groupLines(lastWholeDay(month)?.lines ?? month.lines),
    projectedMonthlyCost: month.projection.monthUsd,
    // This month's cost so far, divided by everything stored.
    unitEconomics: {
      costPerVod: perUnit(counts.get("uploads.completed") ?? 0),
      costPerUser: perUnit(counts.get("users.total") ?? 0),
      costPerGB: perUnit((counts.get("files.bytes") ?? 0) / BYTES_PER_GB),
    },
  };
}

/** Sizes are shown in units of 1024; only the bill uses gigabytes of 10^9 bytes. */
const BYTES_PER_GB = 1024 ** 3;

const counterSchema = z.object({ name: z.string(), value: z.number() });

/** The trend of the daily cost over the whole days that were metered. */
export function directionOf(month: MonthCost): ReturnType<typeof costDirection> {
  return costDirection(
    month.days
      .filter(({ date }) => date >= month.firstMeteredDay && date < month.today)
      .slice(-DAYS_COMPARED)
      .map(({ lines }) => totalCost(lines)),
  );
}

/** Three recent days against the week before them. */
const DAYS_COMPARED = 10;

/** The last metered day that has ended; today is incomplete. */
function lastWholeDay(month: MonthCost): CostDay | undefined {
  return month.days.findLast(({ date }) => date >= month.firstMeteredDay && date < month.today);
}

/** Queues run Workers, so they are grouped with them; the groups add up to the total. */
function groupLines(lines: CostLines): SystemMetrics["costAnalysis"]["dailyCosts"] {
  const grouped = groupByProduct(lines);
  return {
    total: totalCost(lines),
    workers: roundUsd(grouped.workers + grouped.queues),
    r2Storage: grouped.r2,
    d1Database: grouped.d1,
    kvNamespaces: grouped.kv,
  };
}

/** Each product with its storage and its operations. */
export function groupByProduct(lines: CostLines) {
  return {
    workers: roundUsd(lines.workers),
    r2: roundUsd(lines.r2Storage + lines.r2Operations + lines.r2Transfer),
    d1: roundUsd(lines.d1Database + lines.d1Operations),
    kv: roundUsd(lines.kvOperations),
    queues: roundUsd(lines.queueOperations),
  };
}

/** A change below this share of the older average does not count as a trend. */
const NOTICEABLE_SHARE = 0.05;

/** Below a tenth of a cent per day, percentages are meaningless. */
const NOTICEABLE_USD = 0.001;

const RECENT_DAYS = 3;

/**
 * The trend of the daily cost: the average of the last three whole days against that of the days
 * before them. Days are given oldest first. Unknown until there are three of each.
 */
export function costDirection(
  wholeDaysUsd: readonly number[],
): "increasing" | "decreasing" | "stable" | "unknown" {
  const older = wholeDaysUsd.slice(0, -RECENT_DAYS);
  if (older.length < RECENT_DAYS) return "unknown";
  const before = average(older);
  const change = average(wholeDaysUsd.slice(-RECENT_DAYS)) - before;
  if (Math.abs(change) < Math.max(NOTICEABLE_USD, before * NOTICEABLE_SHARE)) return "stable";
  return change > 0 ? "increasing" : "decreasing";
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

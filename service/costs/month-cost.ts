import type { Platform } from "#service/platform.ts";
import { DAY_MS, dayOf, periodAt, type BillingPeriod } from "./billing-period.ts";
import { totalCost, type CostLines } from "./cost-lines.ts";
import { feeDaysUpTo, priceDays, priceMonth, totalUsage, type CostDay } from "./price-usage.ts";
import { projectMonth, type Projection } from "./projection.ts";
import type { Usage } from "./usage.ts";
import { firstMeteredDay, readLedger } from "./usage-ledger.ts";

/** This UTC month's cost so far and its projection. */
export type MonthCost = {
  readonly period: BillingPeriod;
  readonly nowMs: number;
  readonly today: string;
  /** Today if nothing has been metered yet. */
  readonly firstMeteredDay: string;
  /** The month's sums so far: flows as they are, levels as the sum of daily peaks. */
  readonly usage: Usage;
  readonly lines: CostLines;
  readonly totalUsd: number;
  readonly projection: Projection;
  readonly updatedAt: number;
  /** The days read, which may begin before the month, with the cost of each. */
  readonly days: readonly CostDay[];
};

/** Covers the 7 whole days that the projection averages, also across a change of month. */
const MIN_DAYS_BACK = 8;

/** Reads the ledger back to `daysBack` days ago, or to what this month and its projection need. */
export async function readMonthCost(
  context: { readonly platform: Pick<Platform, "database" | "clock"> },
  daysBack: number = MIN_DAYS_BACK,
): Promise<MonthCost> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const period = periodAt(nowMs);
  const today = dayOf(nowMs);
  // A day's cost depends on its month so far, so whole months are read.
  const oldestDayAt = Math.min(period.startAt, nowMs - Math.max(daysBack, MIN_DAYS_BACK) * DAY_MS);
  const [ledger, firstDay] = await Promise.all([
    readLedger(database, periodAt(oldestDayAt).firstDay),
    firstMeteredDay(database),
  ]);
  const feeFrom = firstDay ?? today;
  const usage = totalUsage(ledger.days, period, today);
  const lines = priceMonth(usage, period, feeDaysUpTo(period, feeFrom, today));
  return {
    period,
    nowMs,
    today,
    firstMeteredDay: feeFrom,
    usage,
    lines,
    totalUsd: totalCost(lines),
    projection: projectMonth(ledger.days, period, feeFrom, nowMs),
    updatedAt: ledger.updatedAt ?? nowMs,
    days: monthsFrom(oldestDayAt, nowMs).flatMap((month) =>
      priceDays(ledger.days, month, feeFrom, today),
    ),
  };
}

function monthsFrom(firstMs: number, lastMs: number): BillingPeriod[] {
  const months: BillingPeriod[] = [];
  for (let at = firstMs; at <= lastMs;) {
    const month = periodAt(at);
    months.push(month);
    at = month.endAt;
  }
  return months;
}

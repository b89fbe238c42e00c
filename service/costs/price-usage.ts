import { dayCount, dayOf, DAY_MS, startOfDay, type BillingPeriod } from "./billing-period.ts";
import { GIGABYTE, PLAN_USD_PER_MONTH, TARIFFS, type Tariff } from "./price-table.ts";
import { NO_USAGE, sumUsage, type Usage, type UsageDay } from "./usage.ts";

/** USD by product. The names are those of the cost breakdown. */
export type CostLines = {
  readonly workers: number;
  readonly r2Storage: number;
  readonly r2Operations: number;
  readonly r2Transfer: number;
  readonly d1Database: number;
  readonly d1Operations: number;
  readonly kvOperations: number;
  readonly queueOperations: number;
};

/**
 * The cost of one month. `total` holds the month's sums: flows as they are, levels as the sum of
 * daily peaks; dividing that by the month's days gives Cloudflare's GB-month, the average of daily
 * peaks. The plan's fee accrues daily: `feeDays` of the month's days have begun.
 */
export function priceMonth(
  total: Usage,
  period: Pick<BillingPeriod, "dayCount">,
  feeDays: number,
): CostLines {
  return {
    workers:
      (PLAN_USD_PER_MONTH * feeDays) / period.dayCount +
      price(total.workerRequests, TARIFFS.workerRequests) +
      price(total.workerCpuMs, TARIFFS.workerCpuMs) +
      price(total.durableObjectRequests, TARIFFS.durableObjectRequests),
    r2Storage: price(gigabyteMonths(total.storedBytesPeak, period), TARIFFS.storedGbMonths),
    r2Operations:
      price(total.classAOperations, TARIFFS.classAOperations) +
      price(total.classBOperations, TARIFFS.classBOperations),
    r2Transfer: price(total.egressBytes / GIGABYTE, TARIFFS.egressGigabytes),
    d1Database: price(gigabyteMonths(total.databaseBytesPeak, period), TARIFFS.databaseGbMonths),
    d1Operations:
      price(total.rowsRead, TARIFFS.rowsRead) + price(total.rowsWritten, TARIFFS.rowsWritten),
    kvOperations:
      price(total.kvReads, TARIFFS.kvReads) +
      price(total.kvWrites, TARIFFS.kvWrites) +
      price(total.kvDeletes, TARIFFS.kvDeletes) +
      price(total.kvLists, TARIFFS.kvLists),
    queueOperations: price(total.queueOperations, TARIFFS.queueOperations),
  };
}

/** Divides the sum of daily peaks by the month's days, giving their average. */
export function gigabyteMonths(byteDays: number, period: Pick<BillingPeriod, "dayCount">): number {
  return byteDays / GIGABYTE / period.dayCount;
}

export function price(quantity: number, tariff: Tariff): number {
  const units = quantity / tariff.unit;
  const billed = (tariff.roundsUp ? Math.ceil(units) : units) - tariff.includedUnits;
  return Math.max(0, billed) * tariff.usdPerUnit;
}

export type CostDay = { readonly date: string; readonly lines: CostLines };

/**
 * What each day of one month added to its bill, up to and including `lastDay`. Allowances and
 * rounding apply to the month, so a day's cost is the difference it makes; the days add up to the
 * month. The plan's fee accrues from `feeFrom` on.
 */
export function priceDays(
  days: readonly UsageDay[],
  period: BillingPeriod,
  feeFrom: string,
  lastDay: string,
): CostDay[] {
  const usageByDay = new Map(days.map((entry) => [entry.day, entry.usage]));
  const feeStart = feeFrom > period.firstDay ? feeFrom : period.firstDay;
  const priced: CostDay[] = [];
  let total = NO_USAGE;
  let before = priceMonth(total, period, 0);
  for (let at = period.startAt; at < period.endAt; at += DAY_MS) {
    const date = dayOf(at);
    if (date > lastDay) break;
    total = sumUsage(total, usageByDay.get(date) ?? NO_USAGE);
    const after = priceMonth(total, period, dayCount(feeStart, date));
    priced.push({ date, lines: subtractLines(after, before) });
    before = after;
  }
  return priced;
}

/** The month's usage up to and including `lastDay`. */
export function totalUsage(
  days: readonly UsageDay[],
  period: BillingPeriod,
  lastDay: string,
): Usage {
  return days
    .filter(({ day }) => day >= period.firstDay && day <= period.lastDay && day <= lastDay)
    .reduce((total, { usage }) => sumUsage(total, usage), NO_USAGE);
}

/** Number of days of the plan's fee that have begun by `lastDay`. */
export function feeDaysUpTo(period: BillingPeriod, feeFrom: string, lastDay: string): number {
  const first = feeFrom > period.firstDay ? feeFrom : period.firstDay;
  const last = lastDay < period.lastDay ? lastDay : period.lastDay;
  return startOfDay(first) > startOfDay(last) ? 0 : dayCount(first, last);
}

export function totalCost(lines: CostLines): number {
  return roundUsd(
    lines.workers +
      lines.r2Storage +
      lines.r2Operations +
      lines.r2Transfer +
      lines.d1Database +
      lines.d1Operations +
      lines.kvOperations +
      lines.queueOperations,
  );
}

/** Rounds to a millionth of a dollar; smaller digits are floating-point noise. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1_000_000) / 1_000_000;
}

function subtractLines(after: CostLines, before: CostLines): CostLines {
  return {
    workers: after.workers - before.workers,
    r2Storage: after.r2Storage - before.r2Storage,
    r2Operations: after.r2Operations - before.r2Operations,
    r2Transfer: after.r2Transfer - before.r2Transfer,
    d1Database: after.d1Database - before.d1Database,
    d1Operations: after.d1Operations - before.d1Operations,
    kvOperations: after.kvOperations - before.kvOperations,
    queueOperations: after.queueOperations - before.queueOperations,
  };
}

import type { UsageLine } from "#contract/costs.ts";
import { dayCount, dayOf, DAY_MS, startOfDay, type BillingPeriod } from "./billing-period.ts";
import { mapLines, NO_COST, roundUsd, type CostLine, type CostLines } from "./cost-lines.ts";
import { PLAN_USD_PER_MONTH, TARIFFS, type Price } from "./price-table.ts";
import {
  isLevel,
  METERS,
  NO_USAGE,
  sumUsage,
  type Meter,
  type Usage,
  type UsageDay,
} from "./usage.ts";

/**
 * The cost of one month. `total` holds the month's sums: flows as they are, levels as the sum of
 * daily peaks; dividing that by the month's days gives Cloudflare's GB-month, the average of daily
 * peaks. The plan's fee accrues daily: `feeDays` of the month's days have begun.
 */
export function priceMonth(total: Usage, period: Days, feeDays: number): CostLines {
  const lines = { ...NO_COST, workers: (PLAN_USD_PER_MONTH * feeDays) / period.dayCount };
  for (const meter of METERS) {
    const tariff = TARIFFS[meter];
    lines[tariff.line] += price(shownAmount(meter, total, period), tariff);
  }
  return lines;
}

type Days = Pick<BillingPeriod, "dayCount">;

/** Usage of each meter so far, next to what the plan includes. */
export function usageLines(total: Usage, period: Days): UsageLine[] {
  return METERS.map((meter) => {
    const tariff = TARIFFS[meter];
    const used = shownAmount(meter, total, period);
    return {
      product: PRODUCTS[tariff.line],
      name: tariff.name,
      unit: tariff.shownAs,
      used,
      included: tariff.includedUnits * tariff.unit,
      costUsd: roundUsd(price(used, tariff)),
    };
  });
}

const PRODUCTS: Readonly<Record<CostLine, UsageLine["product"]>> = {
  workers: "Workers",
  r2Storage: "R2",
  r2Operations: "R2",
  r2Transfer: "R2",
  d1Database: "D1",
  d1Operations: "D1",
  kvOperations: "KV",
  queueOperations: "Queues",
};

function shownAmount(meter: Meter, total: Usage, period: Days): number {
  const amount = total[meter] / TARIFFS[meter].shownPer;
  return isLevel(meter) ? amount / period.dayCount : amount;
}

function price(shown: number, { unit, usdPerUnit, includedUnits, roundsUp = false }: Price) {
  const units = shown / unit;
  const billed = (roundsUp ? Math.ceil(units) : units) - includedUnits;
  return Math.max(0, billed) * usdPerUnit;
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
    const linesBefore = before;
    priced.push({ date, lines: mapLines((line) => after[line] - linesBefore[line]) });
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

import {
  DAY_MS,
  dayCount,
  dayOf,
  daysUpTo,
  startOfDay,
  type BillingPeriod,
} from "./billing-period.ts";
import { totalCost } from "./cost-lines.ts";
import { feeDaysUpTo, priceMonth, totalUsage } from "./price-usage.ts";
import { isLevel, mapUsage, NO_USAGE, sumUsage, type Usage, type UsageDay } from "./usage.ts";

/** Minimum of whole days for a projection (OCI's rule for its forecasts). */
const DAYS_NEEDED = 3;

/** A week evens out weekdays and weekends. */
const DAYS_AVERAGED = 7;

export const PROJECTION_FORMULA =
  "This month's usage so far, plus the average of the last 7 whole days for each day left, with " +
  "storage staying at today's level, priced with the month's allowances and rounding. " +
  `Needs ${DAYS_NEEDED} whole days of data.`;

export type Projection = {
  /** Null while there are too few days to project from. */
  readonly monthUsd: number | null;
  /** The month's minimum cost: no further usage, storage kept, the plan's fee paid. */
  readonly floorUsd: number;
};

/**
 * The cost of the whole month by {@link PROJECTION_FORMULA}. Usage is projected first, then priced.
 */
export function projectMonth(
  days: readonly UsageDay[],
  period: BillingPeriod,
  feeFrom: string,
  nowMs: number,
): Projection {
  const today = dayOf(nowMs);
  const usageByDay = new Map(days.map((entry) => [entry.day, entry.usage]));
  const soFar = totalUsage(days, period, today);
  const latestLevels = days.findLast(({ day }) => day <= today)?.usage;
  const daysToMeasure = dayCount(today, period.lastDay) - (usageByDay.has(today) ? 1 : 0);
  const storageKept = mapUsage((meter) =>
    isLevel(meter) ? (latestLevels?.[meter] ?? 0) * daysToMeasure : 0,
  );
  const feeDays = feeDaysUpTo(period, feeFrom, period.lastDay);
  const cost = (usage: Usage) => totalCost(priceMonth(usage, period, feeDays));
  const floor = sumUsage(soFar, storageKept);

  const measured = daysUpTo(dayOf(startOfDay(today) - DAY_MS), DAYS_AVERAGED).flatMap(
    (day) => usageByDay.get(day) ?? [],
  );
  if (measured.length < DAYS_NEEDED) return { monthUsd: null, floorUsd: cost(floor) };
  const sum = measured.reduce(sumUsage, NO_USAGE);
  const daysLeft = (period.endAt - nowMs) / DAY_MS;
  const flowsToCome = mapUsage((meter) =>
    isLevel(meter) ? 0 : (sum[meter] / measured.length) * daysLeft,
  );
  return { monthUsd: cost(sumUsage(floor, flowsToCome)), floorUsd: cost(floor) };
}

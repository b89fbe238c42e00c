import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, dayOf, periodAt } from "./billing-period.ts";
import { totalCost } from "./cost-lines.ts";
import { priceDays, priceMonth, totalUsage } from "./price-usage.ts";
import { mapUsage, METERS, type Usage, type UsageDay } from "./usage.ts";

const november = periodAt(Date.parse("2026-11-10T00:00:00Z"));
const GB = 1e9;

function over(used: number, included: number): number {
  return Math.max(0, used - included);
}

/** The bill computed independently from the usage of each day. */
function naiveBill(days: readonly UsageDay[], feeDays: number, dayCount: number): number {
  const sumOf = (meter: keyof Usage) => days.reduce((sum, { usage }) => sum + usage[meter], 0);
  const millions = (meter: keyof Usage, included: number) => over(sumOf(meter) / 1e6, included);
  return (
    (5 / dayCount) * feeDays +
    millions("workerRequests", 10) * 0.3 +
    millions("workerCpuMs", 30) * 0.02 +
    millions("durableObjectRequests", 1) * 0.15 +
    over(Math.ceil(sumOf("storedBytesPeak") / GB / dayCount), 10) * 0.015 +
    over(Math.ceil(sumOf("classAOperations") / 1e6), 1) * 4.5 +
    over(Math.ceil(sumOf("classBOperations") / 1e6), 10) * 0.36 +
    millions("rowsRead", 25_000) * 0.001 +
    millions("rowsWritten", 50) +
    over(sumOf("databaseBytesPeak") / GB / dayCount, 5) * 0.75 +
    millions("kvReads", 10) * 0.5 +
    (millions("kvWrites", 1) + millions("kvDeletes", 1) + millions("kvLists", 1)) * 5 +
    millions("queueOperations", 1) * 0.4
  );
}

/** Amounts around and far above the allowances, on arbitrary days of a month. */
const usageDays = fc
  .record({
    monthAt: fc.integer({ min: Date.parse("2024-01-01"), max: Date.parse("2032-12-31") }),
    quantities: fc.array(
      fc.record({
        dayIndex: fc.nat(30),
        values: fc.array(fc.oneof(fc.nat(2e9), fc.nat(1e11)), {
          minLength: METERS.length,
          maxLength: METERS.length,
        }),
      }),
      { maxLength: 31 },
    ),
  })
  .map(({ monthAt, quantities }) => {
    const period = periodAt(monthAt);
    const byDay = new Map<string, Usage>();
    for (const { dayIndex, values } of quantities) {
      const day = dayOf(period.startAt + (dayIndex % period.dayCount) * DAY_MS);
      byDay.set(
        day,
        mapUsage((meter) => values[METERS.indexOf(meter)] ?? 0),
      );
    }
    return { period, days: [...byDay].map(([day, usage]) => ({ day, usage })) };
  });

test("the price of any month matches an independently computed invoice", () => {
  fc.assert(
    fc.property(usageDays, ({ period, days }) => {
      const total = totalUsage(days, period, period.lastDay);
      expect(totalCost(priceMonth(total, period, period.dayCount))).toBeCloseTo(
        naiveBill(days, period.dayCount, period.dayCount),
        4,
      );
    }),
  );
});

test("the daily costs of any month add up to its total", () => {
  fc.assert(
    fc.property(usageDays, ({ period, days }) => {
      const priced = priceDays(days, period, period.firstDay, period.lastDay);
      const sum = priced.reduce((total, { lines }) => total + totalCost(lines), 0);
      const total = totalUsage(days, period, period.lastDay);
      expect(priced).toHaveLength(period.dayCount);
      expect(sum).toBeCloseTo(totalCost(priceMonth(total, period, period.dayCount)), 3);
      for (const { lines } of priced) expect(totalCost(lines)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test("the plan fee accrues only from the first metered day", () => {
  const priced = priceDays([], november, "2026-11-29", "2026-11-30");
  const fees = priced.filter(({ lines }) => lines.workers > 0);
  expect(fees.map(({ date }) => date)).toEqual(["2026-11-29", "2026-11-30"]);
  expect(fees[0]?.lines.workers).toBeCloseTo(5 / 30, 9);
});

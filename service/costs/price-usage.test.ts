import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, dayOf, periodAt } from "./billing-period.ts";
import { totalCost } from "./cost-lines.ts";
import { priceDays, priceMonth, totalUsage } from "./price-usage.ts";
import { mapUsage, METERS, NO_USAGE, type Usage, type UsageDay } from "./usage.ts";

const november = periodAt(Date.parse("2026-11-10T00:00:00Z"));
const GB = 1e9;

function costOf(usage: Partial<Usage>, feeDays = 0) {
  return priceMonth({ ...NO_USAGE, ...usage }, november, feeDays);
}

test("included usage costs nothing beyond the plan fee", () => {
  const included = {
    workerRequests: 10e6,
    workerCpuMs: 30e6,
    durableObjectRequests: 1e6,
    storedBytesPeak: 10 * GB * 30,
    classAOperations: 1e6,
    classBOperations: 10e6,
    egressBytes: 1e15,
    rowsRead: 25e9,
    rowsWritten: 50e6,
    databaseBytesPeak: 5 * GB * 30,
    kvReads: 10e6,
    kvWrites: 1e6,
    kvDeletes: 1e6,
    kvLists: 1e6,
    queueOperations: 1e6,
  };
  expect(totalCost(costOf(included))).toBe(0);
  expect(totalCost(costOf(included, 30))).toBe(5);
});

test("R2 rounds up: one operation or byte above the allowance is billed as a whole unit", () => {
  expect(costOf({ classAOperations: 1e6 + 1 }).r2Operations).toBe(4.5);
  expect(costOf({ classBOperations: 10e6 + 1 }).r2Operations).toBeCloseTo(0.36, 9);
  expect(costOf({ storedBytesPeak: 10 * GB * 30 + 30 }).r2Storage).toBeCloseTo(0.015, 9);
});

test("other products bill fractions of a unit", () => {
  expect(costOf({ workerRequests: 10_500_000 }).workers).toBeCloseTo(0.15, 9);
  expect(costOf({ rowsWritten: 50e6 + 250_000 }).d1Operations).toBeCloseTo(0.25, 9);
  expect(costOf({ kvWrites: 1_200_000 }).kvOperations).toBeCloseTo(1, 9);
});

test("storage kept for half the month costs as much as half of it kept all month", () => {
  expect(costOf({ storedBytesPeak: 200 * GB * 15 })).toEqual(
    costOf({ storedBytesPeak: 100 * GB * 30 }),
  );
});

test("storage in a leap February is averaged over 29 days", () => {
  const february = periodAt(Date.parse("2028-02-10T00:00:00Z"));
  const cost = priceMonth({ ...NO_USAGE, storedBytesPeak: 110 * GB * 29 }, february, 29);
  expect(cost.r2Storage).toBeCloseTo(1.5, 9);
  expect(cost.workers).toBeCloseTo(5, 9);
});

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
        values: fc.array(fc.nat(2e9), { minLength: METERS.length, maxLength: METERS.length }),
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

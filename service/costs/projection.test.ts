import { expect, test } from "vitest";
import { DAY_MS, daysUpTo, dayOf, periodAt } from "./billing-period.ts";
import { totalCost } from "./cost-lines.ts";
import { priceMonth } from "./price-usage.ts";
import { projectMonth } from "./projection.ts";
import { NO_USAGE, type Usage } from "./usage.ts";

const GB = 1e9;
const busyDay: Usage = {
  ...NO_USAGE,
  workerRequests: 1e6,
  rowsWritten: 4e6,
  storedBytesPeak: 500 * GB,
};

function steady(lastDay: string, count: number, usage: Usage = busyDay) {
  return daysUpTo(lastDay, count).map((day) => ({ day, usage }));
}

function projectAt(nowText: string, wholeDays: number) {
  const nowMs = Date.parse(nowText);
  const days = steady(dayOf(nowMs - DAY_MS), wholeDays);
  return projectMonth(days, periodAt(nowMs), days[0]?.day ?? dayOf(nowMs), nowMs);
}

test("a projection requires three whole days", () => {
  expect(projectAt("2026-11-20T00:00:00Z", 2).monthUsd).toBeNull();
  expect(projectAt("2026-11-20T00:00:00Z", 3).monthUsd).not.toBeNull();
});

test("steady usage is projected to the exact cost of the whole month", () => {
  const nowMs = Date.parse("2026-11-20T00:00:00Z");
  const period = periodAt(nowMs);
  const days = steady("2026-11-19", 19);
  const { monthUsd } = projectMonth(days, period, period.firstDay, nowMs);
  const wholeMonth = priceMonth(
    {
      ...NO_USAGE,
      workerRequests: 30e6,
      rowsWritten: 120e6,
      storedBytesPeak: 500 * GB * 30,
    },
    period,
    30,
  );
  expect(monthUsd).toBeCloseTo(totalCost(wholeMonth), 6);
});

test("days before the first metered day do not lower the average", () => {
  const nowMs = Date.parse("2026-11-20T00:00:00Z");
  const period = periodAt(nowMs);
  const { monthUsd } = projectMonth(steady("2026-11-19", 4), period, "2026-11-16", nowMs);
  const expected = priceMonth(
    { ...NO_USAGE, workerRequests: 15e6, rowsWritten: 60e6, storedBytesPeak: 500 * GB * 15 },
    period,
    15,
  );
  expect(monthUsd).toBeCloseTo(totalCost(expected), 6);
});

test("days of the previous month count towards the average but not the cost", () => {
  const nowMs = Date.parse("2026-12-01T00:00:00Z");
  const { monthUsd, floorUsd } = projectMonth(
    steady("2026-11-30", 7),
    periodAt(nowMs),
    "2026-11-24",
    nowMs,
  );
  expect(floorUsd).toBeLessThan(monthUsd ?? 0);
  const expected = priceMonth(
    { ...NO_USAGE, workerRequests: 31e6, rowsWritten: 124e6, storedBytesPeak: 500 * GB * 31 },
    periodAt(nowMs),
    31,
  );
  expect(monthUsd).toBeCloseTo(totalCost(expected), 6);
});

test("in the last millisecond of the month the projection equals the amount spent", () => {
  const nowMs = Date.parse("2028-02-29T23:59:59.999Z");
  const period = periodAt(nowMs);
  const days = steady("2028-02-29", 29);
  const { monthUsd } = projectMonth(days, period, period.firstDay, nowMs);
  const spent = priceMonth(
    { ...NO_USAGE, workerRequests: 29e6, rowsWritten: 116e6, storedBytesPeak: 500 * GB * 29 },
    period,
    29,
  );
  expect(monthUsd).toBeCloseTo(totalCost(spent), 4);
});

test("without data there is no projection, and the minimum is the plan fee so far", () => {
  const nowMs = Date.parse("2026-11-30T12:00:00Z");
  const projection = projectMonth([], periodAt(nowMs), "2026-11-30", nowMs);
  expect(projection).toEqual({ monthUsd: null, floorUsd: 0.166667 });
});

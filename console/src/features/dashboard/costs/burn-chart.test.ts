import { expect, test } from "vitest";
import { monthBurn } from "./burn-chart.tsx";

test("a month's spending accumulates day by day, up to the last recorded day", () => {
  const days = [
    { date: "2026-10-31", total: 9 },
    { date: "2026-11-01", total: 1 },
    { date: "2026-11-03", total: 0.5 },
  ];
  expect(monthBurn(days, "2026-11-01", "2026-11-30")).toEqual({
    dayCount: 30,
    spentUsd: [1, 1, 1.5],
  });
});

test("a month without data starts at zero on its first day", () => {
  expect(monthBurn([], "2026-02-01", "2026-02-28")).toEqual({ dayCount: 28, spentUsd: [0] });
});

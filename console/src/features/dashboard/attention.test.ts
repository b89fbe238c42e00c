import { expect, test } from "vitest";
import type { Budget } from "#contract/costs.ts";
import { buildMetrics } from "#console/testing/build-metrics.ts";
import { attentionItems } from "./attention.ts";

const QUIET = { budget: undefined, alerts: 0 };

function budgetWith(percentage: number, onTrack: boolean): Budget {
  return {
    period: "monthly",
    budget: 50,
    spent: percentage / 2,
    remaining: 50 - percentage / 2,
    percentage,
    trend: "stable",
    onTrack,
    projectedSpend: null,
    daysRemaining: 8,
  };
}

test("healthy or unknown metrics need no attention", () => {
  expect(attentionItems(undefined, QUIET)).toEqual([]);
  const unknown = buildMetrics({ workers: "unknown" });
  expect(attentionItems(unknown, { budget: budgetWith(74.9, true), alerts: 0 })).toEqual([]);
});

test("problems come before warnings", () => {
  const metrics = buildMetrics({
    workers: "unhealthy",
    workersReason: "They are silent.",
    utilization: "81%",
  });
  const costs = { budget: budgetWith(75, true), alerts: 1 };
  expect(attentionItems(metrics, costs)).toEqual([
    { id: "Workers", to: "/system", text: "Workers: unhealthy. They are silent.", bad: true },
    {
      id: "alerts",
      to: "/",
      search: { cost: "alerts" },
      text: "1 cost alert to acknowledge",
      bad: true,
    },
    { id: "storage", to: "/files", text: "Storage is 81% full", bad: false },
    {
      id: "budget",
      to: "/",
      search: { cost: "overview" },
      text: "75% of the monthly budget is spent",
      bad: false,
    },
  ]);
});

test("a budget projected to be exceeded is a problem, however little is spent", () => {
  expect(attentionItems(undefined, { budget: budgetWith(10, false), alerts: 0 })).toMatchObject([
    { text: "Costs will exceed the monthly budget", bad: true },
  ]);
});

test("a spent budget is not called a coming problem", () => {
  expect(attentionItems(undefined, { budget: budgetWith(120, false), alerts: 0 })).toMatchObject([
    { text: "120% of the monthly budget is spent", bad: true },
  ]);
});

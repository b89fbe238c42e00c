import { expect, test } from "vitest";
import type { DashboardStats } from "#contract/dashboard.ts";
import { buildMetrics } from "#console/testing/build-metrics.ts";
import { attentionItems } from "./attention.ts";

const COUNTS = { total: 9, today: 0, completed: 8, processing: 0, pending: 0 };

function statsWith(failed: number): DashboardStats {
  return { uploads: { ...COUNTS, failed }, users: null, storage: null };
}

test("a healthy system and what is not known yet call nobody", () => {
  expect(attentionItems(undefined, undefined)).toEqual([]);
  expect(attentionItems(statsWith(0), buildMetrics({ workers: "unknown" }))).toEqual([]);
  expect(attentionItems({ uploads: null, users: null, storage: null }, undefined)).toEqual([]);
});

test("what is broken comes before what is merely worth a look", () => {
  const metrics = buildMetrics({
    workers: "unhealthy",
    workersReason: "They are silent.",
    utilization: "81%",
  });
  expect(attentionItems(statsWith(1), metrics)).toEqual([
    { id: "Workers", to: "/system", text: "Workers: unhealthy. They are silent.", bad: true },
    { id: "storage", to: "/files", text: "Storage is 81% full", bad: false },
    { id: "failed", to: "/uploads/failed", text: "1 failed upload to look at", bad: false },
  ]);
});

import { environmentManager, QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { systemMetricsSchema } from "#contract/system.ts";
import { build } from "#contract/testing/build.ts";
import {
  addPoint,
  historyQuery,
  MAX_POINTS,
  pointOf,
  type PerformancePoint,
} from "./performance-history.ts";

function pointAt(atMs: number): PerformancePoint {
  return { atMs, activeUploads: 0, storagePercent: 0, opsPerMinute: 0 };
}

test("a point's numbers are parsed from the metrics' text", () => {
  const metrics = build(systemMetricsSchema, {
    activeUploads: 3,
    cloudflare: { r2Storage: { utilization: "45.6%" } },
    performance: { throughput: "4.2 ops/min" },
  });
  expect(pointOf(metrics, 7)).toEqual({
    atMs: 7,
    activeUploads: 3,
    storagePercent: 45.6,
    opsPerMinute: 4.2,
  });
});

test("the latest 20 points are kept, oldest first", () => {
  let points: readonly PerformancePoint[] = [];
  for (let index = 0; index < 25; index += 1) points = addPoint(points, pointAt(index * 5_000));
  expect(points).toHaveLength(MAX_POINTS);
  expect(points[0]?.atMs).toBe(25_000);
  expect(points.at(-1)?.atMs).toBe(120_000);
});

test("duplicate and older points are ignored", () => {
  const points = addPoint(addPoint([], pointAt(5_000)), pointAt(10_000));
  expect(addPoint(points, pointAt(10_400))).toBe(points);
  expect(addPoint(points, pointAt(9_000))).toBe(points);
  expect(addPoint(points, pointAt(15_000))).toHaveLength(3);
});

test("the points are kept during an hour on another screen", () => {
  vi.useFakeTimers();
  // Elsewhere than in a browser, nothing is ever removed from the cache.
  environmentManager.setIsServer(() => false);
  const client = new QueryClient();
  const leaveScreen = new QueryObserver(client, historyQuery).subscribe(() => undefined);
  client.setQueryData(historyQuery.queryKey, [pointAt(0)]);
  leaveScreen();
  vi.advanceTimersByTime(3_600_000);
  expect(client.getQueryData(historyQuery.queryKey)).toEqual([pointAt(0)]);
  vi.useRealTimers();
});

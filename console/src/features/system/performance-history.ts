import { queryOptions, skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { SystemMetrics } from "#contract/system.ts";
import { leadingNumber } from "#console/domain/system/system-health.ts";

export type PerformancePoint = {
  readonly atMs: number;
  readonly activeUploads: number;
  readonly storagePercent: number;
  readonly opsPerMinute: number;
};

/** The chart keeps the latest 20 points (docs/console.md#warnings). */
export const MAX_POINTS = 20;

/** Stream and polling report the same points; points closer than this are kept once. */
const SAME_POINT_MS = 3_000;

export function pointOf(metrics: SystemMetrics, atMs: number): PerformancePoint {
  return {
    atMs,
    activeUploads: metrics.activeUploads,
    storagePercent: leadingNumber(metrics.cloudflare.r2Storage.utilization),
    opsPerMinute: leadingNumber(metrics.performance.throughput),
  };
}

export function addPoint(
  points: readonly PerformancePoint[],
  point: PerformancePoint,
): readonly PerformancePoint[] {
  const last = points.at(-1);
  if (last !== undefined && point.atMs - last.atMs < SAME_POINT_MS) return points;
  return [...points, point].slice(-MAX_POINTS);
}

const NO_POINTS: readonly PerformancePoint[] = [];

/** Unused queries are otherwise removed from the cache after five minutes. */
export const historyQuery = queryOptions<readonly PerformancePoint[]>({
  queryKey: ["performance"],
  queryFn: skipToken,
  gcTime: Infinity,
});

/** The points so far; they are kept while other screens are shown. */
export function usePerformanceHistory(
  metrics: SystemMetrics | undefined,
  updatedAtMs: number,
): readonly PerformancePoint[] {
  const queryClient = useQueryClient();
  const { data = NO_POINTS } = useQuery(historyQuery);
  useEffect(() => {
    if (metrics === undefined) return;
    queryClient.setQueryData<readonly PerformancePoint[]>(
      historyQuery.queryKey,
      (points = NO_POINTS) => addPoint(points, pointOf(metrics, updatedAtMs)),
    );
  }, [metrics, updatedAtMs, queryClient]);
  return data;
}

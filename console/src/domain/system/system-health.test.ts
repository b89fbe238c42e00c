import { describe, expect, test } from "vitest";
import { buildMetrics } from "#console/testing/build-metrics.ts";
import { systemHealth } from "./system-health.ts";

describe("system health", () => {
  test("is unknown without metrics", () => {
    expect(systemHealth(undefined)).toEqual({ health: "unknown", reasons: [] });
  });

  test("is healthy exactly at the limits", () => {
    const metrics = buildMetrics({ utilization: "80%", failedUploads: 10 });
    expect(systemHealth(metrics)).toEqual({ health: "healthy", reasons: [] });
  });

  test.each([
    [{ utilization: "80.1%" }, "R2 utilization is 80.1%, above 80%"],
    [{ failedUploads: 11 }, "11 uploads have failed, more than 10"],
    [{ workers: "degraded" }, "The workers are degraded"],
    [{ workers: "unhealthy" }, "The workers are unhealthy"],
    [
      { workers: "unhealthy", workersReason: "They were last heard of 61 s ago." },
      "The workers are unhealthy. They were last heard of 61 s ago.",
    ],
    [{ workers: "unknown" }, "The workers' status is unknown"],
  ] as const)("is a warning with a reason for %o", (overrides, reason) => {
    expect(systemHealth(buildMetrics(overrides))).toEqual({ health: "warning", reasons: [reason] });
  });

  test("lists every reason", () => {
    const metrics = buildMetrics({ utilization: "120%", failedUploads: 2_000 });
    expect(systemHealth(metrics).reasons).toHaveLength(2);
  });
});

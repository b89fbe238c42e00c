import {
  systemMetricsSchema,
  type HealthStatus,
  type SystemHealth,
  type SystemMetrics,
} from "#contract/system.ts";

/** Metrics of a healthy, idle service, with the given overrides. */
export function buildMetrics({
  utilization = "12.3%",
  failedUploads = 0,
  activeUploads = 0,
  workers = "healthy",
  workersReason,
  health = { status: "healthy", reasons: [] },
  throughput = "0 ops/min",
}: {
  utilization?: string;
  failedUploads?: number;
  activeUploads?: number;
  workers?: HealthStatus;
  workersReason?: string;
  health?: SystemHealth;
  throughput?: string;
} = {}): SystemMetrics {
  return systemMetricsSchema.parse({
    uptime: 3_600,
    totalUploads: 100,
    activeUploads,
    failedUploads,
    health,
    cloudflare: {
      r2Storage: { usedGB: 123, utilization, status: "healthy" },
      d1Database: { totalRecords: 1_000, status: "healthy" },
      workers: { environment: "preview", status: workers, reason: workersReason },
      queues: { vodResumeQueue: { status: "healthy" } },
    },
    costAnalysis: {
      costTrend: "stable",
      dailyCosts: { total: 0.2, workers: 0.17, r2Storage: 0.03, d1Database: 0, kvNamespaces: 0 },
      projectedMonthlyCost: 6,
      unitEconomics: { costPerVod: 0.01, costPerUser: 0.1, costPerGB: 0.02 },
    },
    performance: { throughput },
  });
}

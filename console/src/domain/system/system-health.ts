import type { SystemHealth, SystemMetrics } from "#contract/system.ts";
import { useServerStatus } from "#console/lib/server-status.ts";

const UNKNOWN = { status: "unknown", reasons: [] } as const;

/** The service's verdict on itself; unknown until it is there, and while the server is away. */
export function useSystemHealth(metrics: SystemMetrics | undefined): SystemHealth | typeof UNKNOWN {
  const isReachable = useServerStatus() === "Online";
  return metrics === undefined || !isReachable ? UNKNOWN : metrics.health;
}

/** The leading number of a text such as "12.3%" or "4.2 ops/min". */
export function leadingNumber(text: string): number {
  const value = Number.parseFloat(text);
  return Number.isFinite(value) ? value : 0;
}

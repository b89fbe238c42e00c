import type { DashboardStats } from "#contract/dashboard.ts";
import type { Health, SystemMetrics } from "#contract/system.ts";
import { R2_WARNING_PERCENT, utilizationPercent } from "#console/features/system/system-health.ts";
import { formatPlural } from "#console/lib/format.ts";

export type AttentionItem = {
  readonly id: string;
  readonly to: "/uploads/failed" | "/system" | "/files";
  readonly text: string;
  readonly bad: boolean;
};

/** Current problems, worst first. Unknown values are not problems. */
export function attentionItems(
  stats: DashboardStats | undefined,
  metrics: SystemMetrics | undefined,
): readonly AttentionItem[] {
  const items: AttentionItem[] = [];
  if (metrics !== undefined) {
    const { r2Storage, d1Database, workers, queues } = metrics.cloudflare;
    const parts: readonly [name: string, health: Health][] = [
      ["R2 storage", r2Storage],
      ["D1 database", d1Database],
      ["Workers", workers],
      ["VOD Resume Queue", queues.vodResumeQueue],
    ];
    for (const [name, { status, reason }] of parts) {
      if (status === "healthy" || status === "unknown") continue;
      items.push({
        id: name,
        to: "/system",
        text: `${name}: ${status}${reason === undefined ? "" : `. ${reason}`}`,
        bad: status === "unhealthy",
      });
    }
    if (utilizationPercent(r2Storage.utilization) > R2_WARNING_PERCENT) {
      items.push({
        id: "storage",
        to: "/files",
        text: `Storage is ${r2Storage.utilization} full`,
        bad: utilizationPercent(r2Storage.utilization) >= 100,
      });
    }
  }
  const failed = stats?.uploads?.failed ?? 0;
  if (failed > 0) {
    const text = `${formatPlural(failed, "failed upload")} to look at`;
    items.push({ id: "failed", to: "/uploads/failed", text, bad: false });
  }
  return items.sort((one, other) => Number(other.bad) - Number(one.bad));
}

import type { DataOf } from "#contract/call.ts";
import type { listChannels } from "#contract/channels.ts";
import type { Budget } from "#contract/costs.ts";
import type { DashboardStats } from "#contract/dashboard.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { R2_WARNING_PERCENT } from "#contract/limits.ts";
import type { SystemMetrics } from "#contract/system.ts";
import { leadingNumber } from "#console/domain/system/system-health.ts";
import { formatPercent, formatPlural } from "#console/lib/format.ts";
import { budgetTone } from "./costs/cost-tones.ts";

export type AttentionItem = {
  readonly id: string;
  readonly text: string;
  readonly bad: boolean;
} & (
  | { readonly to: "/system" | "/files" | "/uploads/failed" }
  | { readonly to: "/"; readonly search: { readonly cost: "overview" | "alerts" } }
  | { readonly to: "/files"; readonly search: { readonly trash: "only" } }
  | { readonly to: "/channels"; readonly search: { readonly state: "danger" | "lost" } }
);

/** What threatens the archive itself; each is undefined until it is known. */
type Holdings = {
  readonly channels?: Pick<DataOf<typeof listChannels>["summary"], "inDanger" | "lost"> | undefined;
  readonly storage?: DashboardStats["storage"] | undefined;
};

/** Current problems, worst first. Unknown values are not problems. */
export function attentionItems(
  metrics: SystemMetrics | undefined,
  costs: { readonly budget: Budget | undefined; readonly alerts: number },
  { channels, storage }: Holdings = {},
): readonly AttentionItem[] {
  const items: AttentionItem[] = [];
  if (metrics !== undefined) {
    for (const { part, status, text } of metrics.health.reasons)
      if (status !== "unknown" && part !== "capacity")
        items.push({
          id: part,
          to: part === "uploads" ? "/uploads/failed" : "/system",
          text,
          bad: status === "unhealthy",
        });
    const { r2Storage } = metrics.cloudflare;
    if (leadingNumber(r2Storage.utilization) > R2_WARNING_PERCENT) {
      items.push({
        id: "storage",
        to: "/files",
        text: `Storage is ${r2Storage.utilization} full`,
        bad: leadingNumber(r2Storage.utilization) >= 100,
      });
    }
  }
  if (storage && storage.trashBytes > 0 && isNearlyFull(storage, metrics)) {
    items.push({
      id: "trash",
      to: "/files",
      search: { trash: "only" },
      text: `${formatBytes(storage.trashBytes)} in the trash: Make room`,
      bad: false,
    });
  }
  if (channels !== undefined && channels.inDanger > 0) {
    items.push({
      id: "danger",
      to: "/channels",
      search: { state: "danger" },
      text: `${formatPlural(channels.inDanger, "VOD")} not stored may be deleted within three days`,
      bad: true,
    });
  }
  if (channels !== undefined && channels.lost > 0) {
    items.push({
      id: "lost",
      to: "/channels",
      search: { state: "lost" },
      text: `${formatPlural(channels.lost, "VOD")} lost in the last 30 days`,
      bad: false,
    });
  }
  const { budget, alerts } = costs;
  if (budget !== undefined && (!budget.onTrack || budgetTone(budget.percentage) !== "good")) {
    items.push({
      id: "budget",
      to: "/",
      search: { cost: "overview" },
      text:
        budget.onTrack || budget.percentage >= 100
          ? `${formatPercent(budget.percentage)} of the monthly budget is spent`
          : "Costs will exceed the monthly budget",
      bad: !budget.onTrack || budgetTone(budget.percentage) === "bad",
    });
  }
  if (alerts > 0) {
    items.push({
      id: "alerts",
      to: "/",
      search: { cost: "alerts" },
      text: `${formatPlural(alerts, "cost alert")} to acknowledge`,
      bad: true,
    });
  }
  return items.sort((one, other) => Number(other.bad) - Number(one.bad));
}

/** By the planned capacity, or by the disk, which the service watches. */
function isNearlyFull(
  { percentage }: NonNullable<DashboardStats["storage"]>,
  metrics: SystemMetrics | undefined,
): boolean {
  return (
    percentage > R2_WARNING_PERCENT ||
    metrics?.health.reasons.some(({ part, status }) => part === "disk" && status !== "unknown") ===
      true
  );
}

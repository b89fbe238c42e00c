import type { Budget } from "#contract/costs.ts";
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
);

/** Current problems, worst first. Unknown values are not problems. */
export function attentionItems(
  metrics: SystemMetrics | undefined,
  costs: { readonly budget: Budget | undefined; readonly alerts: number },
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

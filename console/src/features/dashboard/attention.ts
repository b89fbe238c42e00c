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
  /** What its link leads to. */
  readonly verb: string;
  readonly bad: boolean;
} & (
  | { readonly to: "/system" | "/uploads/failed" }
  | { readonly to: "/"; readonly search: { readonly cost: "overview" | "alerts" } }
  | { readonly to: "/files"; readonly search: { readonly room: "make" } }
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
  /** Null where nothing is billed. */
  costs: { readonly budget: Budget | undefined; readonly alerts: number } | null,
  { channels, storage }: Holdings = {},
): readonly AttentionItem[] {
  const items: AttentionItem[] = [];
  for (const { part, status, text } of metrics?.health.reasons ?? [])
    if (status !== "unknown" && part !== "capacity")
      items.push({ id: part, ...placeOf(part), text, bad: status === "unhealthy" });
  const percent =
    storage?.percentage ?? (metrics && leadingNumber(metrics.cloudflare.r2Storage.utilization));
  if (percent !== undefined && percent > R2_WARNING_PERCENT) {
    const trash = storage && storage.trashBytes > 0 && formatBytes(storage.trashBytes);
    items.push({
      id: "storage",
      ...MAKE_ROOM,
      text: `Storage is ${percent > 100 ? "over its capacity" : "nearly full"}${trash ? `, ${trash} in the trash` : ""}`,
      bad: percent >= 100,
    });
  }
  if (channels !== undefined && channels.inDanger > 0) {
    items.push({
      id: "danger",
      to: "/channels",
      search: { state: "danger" },
      verb: "Review",
      text: `${formatPlural(channels.inDanger, "VOD")} not stored may be deleted within three days`,
      bad: true,
    });
  }
  if (channels !== undefined && channels.lost > 0) {
    items.push({
      id: "lost",
      to: "/channels",
      search: { state: "lost" },
      verb: "Review",
      text: `${formatPlural(channels.lost, "VOD")} lost in the last 30 days`,
      bad: false,
    });
  }
  const { budget, alerts } = costs ?? { budget: undefined, alerts: 0 };
  if (budget !== undefined && (!budget.onTrack || budgetTone(budget.percentage) !== "good")) {
    items.push({
      id: "budget",
      to: "/",
      search: { cost: "overview" },
      verb: "Open costs",
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
      verb: "Acknowledge",
      text: formatPlural(alerts, "new cost alert"),
      bad: true,
    });
  }
  return items.sort((one, other) => Number(other.bad) - Number(one.bad));
}

const MAKE_ROOM = { to: "/files", search: { room: "make" }, verb: "Make room" } as const;

type Part = SystemMetrics["health"]["reasons"][number]["part"];

/** Where something can be done about a part that is not healthy. */
function placeOf(part: Part) {
  if (part === "disk") return MAKE_ROOM;
  return part === "uploads"
    ? ({ to: "/uploads/failed", verb: "Review" } as const)
    : ({ to: "/system", verb: "Open System" } as const);
}

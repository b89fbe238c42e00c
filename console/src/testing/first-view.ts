import type { AnyCall, DataOf } from "#contract/call.ts";
import { listChannels } from "#contract/channels.ts";
import { budgets, costAlerts, costBreakdown, thresholds } from "#contract/costs.ts";
import { DASHBOARD_LISTS, dashboardStats } from "#contract/dashboard.ts";
import { systemMetrics, systemSetup } from "#contract/system.ts";
import { listFailedUploads, listUploads, uploadWork } from "#contract/uploads.ts";

/** The dashboard's first view, of the answers of its parts' own calls. */
export async function firstView(
  ask: <C extends AnyCall>(call: C, query?: object) => Promise<DataOf<C>>,
  query: URLSearchParams,
) {
  const lists = DASHBOARD_LISTS;
  const dayStart = query.get("dayStart") ?? undefined;
  return {
    stats: await ask(dashboardStats, { dayStart }),
    work: await ask(uploadWork, { dayStart }),
    running: await ask(listUploads, lists.running),
    recent: await ask(listUploads, lists.recent),
    failed: await ask(listFailedUploads, lists.failed),
    channels: await ask(listChannels, lists.channels),
    metrics: await ask(systemMetrics),
    breakdown: await ask(costBreakdown),
    budgets: await ask(budgets),
    alerts: await ask(costAlerts, lists.alerts),
    thresholds: await ask(thresholds),
    setup: query.get("setup") === "true" ? await ask(systemSetup) : null,
  };
}

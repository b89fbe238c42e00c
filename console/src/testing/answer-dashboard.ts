import { budgets, costAlerts, costBreakdown, thresholds } from "#contract/costs.ts";
import { dashboardHistory, dashboardStats } from "#contract/dashboard.ts";
import { systemMetrics } from "#contract/system.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { listFailedUploads, listUploads } from "#contract/uploads.ts";
import { buildMetrics } from "./build-metrics.ts";
import type { scriptService } from "./scripted-service.ts";

/** Answers what the dashboard asks for; its history and costs stay on their way. */
export function answerDashboard({ answer }: ReturnType<typeof scriptService>): void {
  answer(dashboardStats, () => ({
    uploads: { total: 102, today: 7, completed: 50, processing: 5, failed: 20, pending: 25 },
    users: { active: 30, total: 45 },
    storage: { used: 3 * 1024 ** 3, percentage: 12.34 },
  }));
  answer(systemMetrics, () => buildMetrics());
  answer(listUploads, () => buildPage([]));
  answer(listFailedUploads, () => ({
    ...buildPage([]),
    summary: { totalFailed: 0, canRetry: 0, maxRetriesReached: 0 },
    groups: [],
  }));
  for (const call of [dashboardHistory, costBreakdown, budgets]) answer(call, nothingYet);
  answer(thresholds, () => []);
  answer(costAlerts, () => ({ alerts: [], unacknowledged: 0 }));
}

function nothingYet(): Promise<never> {
  return new Promise(() => undefined);
}

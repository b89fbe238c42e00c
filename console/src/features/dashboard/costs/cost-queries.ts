import type { QueryClient } from "@tanstack/react-query";
import type { DataOf } from "#contract/call.ts";
import {
  type Budget,
  budgets,
  checkAlerts,
  costAlerts,
  costBreakdown,
  costTrend,
  thresholds,
} from "#contract/costs.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";
import { formatPlural } from "#console/lib/format.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import { toast } from "#console/ui/toast-store.ts";

/** docs/console.md#intervals */
export const BREAKDOWN_POLL_MS = 60_000;
export const BUDGET_POLL_MS = 5 * 60_000;
export const ALERTS_POLL_MS = 30_000;
export const CHECK_EVERY_MS = 5 * 60_000;
const ALERTS_SHOWN = 10;

/** The whole month and the end of the previous one. */
const TREND_DAYS = 35;

export function breakdownQuery() {
  return { ...callQuery(costBreakdown), staleTime: JUST_ANSWERED_MS };
}

export function budgetsQuery() {
  return callQuery(budgets);
}

export function monthlyBudget(answer: DataOf<typeof budgets> | undefined): Budget | undefined {
  return answer?.budgets.find(({ period }) => period === "monthly");
}

export function alertsQuery() {
  const query = { limit: ALERTS_SHOWN };
  return { ...callQuery(costAlerts, { query }), staleTime: JUST_ANSWERED_MS };
}

export function thresholdsQuery() {
  return callQuery(thresholds);
}

export function trendQuery() {
  return callQuery(costTrend, { query: { days: TREND_DAYS } });
}

/** Shows a toast for new alerts and returns their number. Throws `ApiError`. */
export async function checkForAlerts(queryClient: QueryClient): Promise<number> {
  const { hasNewAlerts, alertCount } = await call(checkAlerts);
  void queryClient.invalidateQueries({ queryKey: keyOf(costAlerts) });
  void queryClient.invalidateQueries({ queryKey: keyOf(thresholds) });
  if (!hasNewAlerts) return 0;
  toast.error(`${formatPlural(alertCount, "new cost alert")} triggered!`);
  return alertCount;
}

import type { QueryClient } from "@tanstack/react-query";
import type { Permission } from "#contract/permissions.ts";
import { alertsQuery, breakdownQuery, budgetsQuery } from "./costs/cost-queries.ts";
import { failedQuery, recentUploadsQuery, runningQuery, statsQuery } from "./dashboard-queries.ts";

/** Requests the dashboard's data, except the metrics, which System shows as well. */
export function prefetchDashboard(
  queryClient: QueryClient,
  may: (permission: Permission) => boolean,
): void {
  void queryClient.prefetchQuery(statsQuery());
  if (may("read:uploads")) {
    void queryClient.prefetchQuery(failedQuery(true));
    void queryClient.prefetchQuery(runningQuery(true));
    void queryClient.prefetchQuery(recentUploadsQuery(true));
  }
  if (!may("read:system")) return;
  void queryClient.prefetchQuery(breakdownQuery());
  void queryClient.prefetchQuery(budgetsQuery());
  void queryClient.prefetchQuery(alertsQuery());
}

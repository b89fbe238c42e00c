import { metricsQuery } from "#console/domain/system/metrics-query.ts";
import { workQuery } from "#console/domain/uploads/upload-queries.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { alertsQuery, breakdownQuery, budgetsQuery } from "./costs/cost-queries.ts";
import {
  archivedQuery,
  failedQuery,
  recentUploadsQuery,
  runningQuery,
  statsQuery,
} from "./dashboard-queries.ts";

/** Requests the dashboard's data. */
export async function prefetchDashboard({
  queryClient,
  may,
}: Pick<ScreenOpening, "queryClient" | "may">): Promise<void> {
  void queryClient.prefetchQuery(statsQuery());
  if (may("read:uploads")) {
    void queryClient.prefetchQuery(failedQuery(true));
    void queryClient.prefetchQuery(runningQuery(true));
    void queryClient.prefetchQuery(workQuery());
    void queryClient.prefetchQuery(archivedQuery(true));
    void queryClient.prefetchQuery(recentUploadsQuery(true));
  }
  if (!may("read:system")) return;
  void queryClient.prefetchQuery(metricsQuery(true));
  void queryClient.prefetchQuery(breakdownQuery());
  void queryClient.prefetchQuery(budgetsQuery());
  void queryClient.prefetchQuery(alertsQuery());
}

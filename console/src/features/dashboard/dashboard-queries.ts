import type { QueryClient } from "@tanstack/react-query";
import { listChannels } from "#contract/channels.ts";
import { DASHBOARD_LISTS, dashboardStats, dashboardView } from "#contract/dashboard.ts";
import { systemSetup } from "#contract/system.ts";
import { listFailedUploads, listUploads } from "#contract/uploads.ts";
import { metricsQuery } from "#console/domain/system/metrics-query.ts";
import { uploadsQuery, workQuery } from "#console/domain/uploads/upload-queries.ts";
import { call } from "#console/lib/api-client.ts";
import { siteStore } from "#console/lib/browser-storage.ts";
import { callQuery, keyOf, pageQuery } from "#console/lib/call-query.ts";
import { startOf } from "#console/lib/local-day.ts";
import { FIRST_STEPS_KEY } from "#console/lib/preferences.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import {
  alertsQuery,
  breakdownQuery,
  budgetsQuery,
  thresholdsQuery,
} from "./costs/cost-queries.ts";

/** docs/console.md#intervals */
export const STATS_POLL_MS = 30_000;
export const RECENT_POLL_MS = 15_000;
export const METRICS_POLL_MS = 10_000;
export const CHANNELS_POLL_MS = 30_000;

/** Whether this browser still shows the first steps. */
export const hasFirstSteps = () => siteStore.getItem(FIRST_STEPS_KEY) === null;

/**
 * All that the dashboard shows, in one answer, which becomes that of each part's own query. While
 * it is awaited, those do not ask; if it fails, each asks for itself and shows its own error.
 */
export function firstViewQuery() {
  return {
    queryKey: [...keyOf(dashboardView), "view"],
    queryFn: async ({ client, signal }: { client: QueryClient; signal: AbortSignal }) => {
      const dayStart = startOf(new Date(), 0);
      const query = { dayStart, ...(hasFirstSteps() && { setup: true }) };
      const view = await call(dashboardView, { query, signal });
      for (const [{ queryKey }, data] of [
        [statsQuery(), view.stats],
        [workQuery(), view.work],
        [runningQuery(), view.running],
        [recentUploadsQuery(), view.recent],
        [failedQuery(), view.failed],
        [channelsQuery(), view.channels],
        [metricsQuery(true), view.metrics],
        [breakdownQuery(), view.breakdown],
        [budgetsQuery(), view.budgets],
        [alertsQuery(), view.alerts],
        [thresholdsQuery(), view.thresholds],
        [setupQuery(), view.setup],
      ] as const)
        if (data !== null) client.setQueryData(queryKey, data);
      return true;
    },
    retry: false,
    staleTime: JUST_ANSWERED_MS,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  };
}

export function statsQuery() {
  return {
    ...callQuery(dashboardStats, { query: { dayStart: startOf(new Date(), 0) } }),
    staleTime: JUST_ANSWERED_MS,
  };
}

/** Asked with the first view only. */
export function setupQuery() {
  return { ...callQuery(systemSetup), staleTime: Infinity };
}

export function recentUploadsQuery() {
  const query = DASHBOARD_LISTS.recent;
  return { ...callQuery(listUploads, { query }), staleTime: JUST_ANSWERED_MS };
}

export function runningQuery() {
  return uploadsQuery({ page: 1, status: "processing" }, true);
}

export function failedQuery() {
  return pageQuery(listFailedUploads, { page: 1 });
}

/** Asked for its figures. */
export function channelsQuery() {
  const query = DASHBOARD_LISTS.channels;
  return { ...callQuery(listChannels, { query }), staleTime: JUST_ANSWERED_MS };
}

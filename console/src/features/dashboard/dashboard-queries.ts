import { queryOptions } from "@tanstack/react-query";
import { dashboardStats } from "#contract/dashboard.ts";
import { listUploads } from "#contract/uploads.ts";
import { failedUploadsQuery, uploadsQuery } from "#console/domain/uploads/upload-queries.ts";
import { call } from "#console/lib/api-client.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import { dashboardKeys, uploadKeys } from "#console/lib/query-keys.ts";

/** docs/console.md#intervals */
export const STATS_POLL_MS = 30_000;
export const RECENT_POLL_MS = 15_000;
export const METRICS_POLL_MS = 10_000;
const RECENT_UPLOADS = 5;

export function statsQuery() {
  return queryOptions({
    queryKey: dashboardKeys.stats,
    queryFn: ({ signal }) => call(dashboardStats, { signal }),
    staleTime: JUST_ANSWERED_MS,
  });
}

export function recentUploadsQuery(permitted: boolean) {
  return queryOptions({
    queryKey: uploadKeys.recent,
    queryFn: ({ signal }) => call(listUploads, { query: { limit: RECENT_UPLOADS }, signal }),
    staleTime: JUST_ANSWERED_MS,
    enabled: permitted,
  });
}

export function runningQuery(permitted: boolean) {
  return queryOptions({
    ...uploadsQuery({ page: 1, status: "processing" }, true),
    staleTime: JUST_ANSWERED_MS,
    enabled: permitted,
  });
}

export function failedQuery(permitted: boolean) {
  return queryOptions({
    ...failedUploadsQuery({ page: 1 }),
    staleTime: JUST_ANSWERED_MS,
    enabled: permitted,
  });
}

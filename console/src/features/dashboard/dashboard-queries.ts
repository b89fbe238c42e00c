import { listChannels } from "#contract/channels.ts";
import { dashboardStats } from "#contract/dashboard.ts";
import { systemSetup } from "#contract/system.ts";
import { listFailedUploads, listUploads } from "#contract/uploads.ts";
import { uploadsQuery } from "#console/domain/uploads/upload-queries.ts";
import type { ViewOf } from "#console/lib/api-request.ts";
import { callQuery, pageQuery } from "#console/lib/call-query.ts";
import { startOf } from "#console/lib/local-day.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";

/** docs/console.md#intervals */
export const STATS_POLL_MS = 30_000;
export const RECENT_POLL_MS = 15_000;
export const METRICS_POLL_MS = 10_000;
export const CHANNELS_POLL_MS = 30_000;
const RECENT_UPLOADS = 5;
export const ARCHIVED_SHOWN = 6;

export function statsQuery() {
  return {
    ...callQuery(dashboardStats, { query: { dayStart: startOf(new Date(), 0) } }),
    staleTime: JUST_ANSWERED_MS,
  };
}

export function setupQuery() {
  return { ...callQuery(systemSetup), staleTime: JUST_ANSWERED_MS };
}

function newestQuery(query: ViewOf<typeof listUploads>, enabled: boolean) {
  return { ...callQuery(listUploads, { query }), staleTime: JUST_ANSWERED_MS, enabled };
}

export function recentUploadsQuery(permitted: boolean) {
  return newestQuery({ limit: RECENT_UPLOADS }, permitted);
}

export function archivedQuery(permitted: boolean) {
  return newestQuery({ limit: ARCHIVED_SHOWN, status: "completed" }, permitted);
}

export function runningQuery(permitted: boolean) {
  return { ...uploadsQuery({ page: 1, status: "processing" }, true), enabled: permitted };
}

export function failedQuery(permitted: boolean) {
  return { ...pageQuery(listFailedUploads, { page: 1 }), enabled: permitted };
}

/** Asked for its figures. */
export function channelsQuery(enabled: boolean) {
  return {
    ...callQuery(listChannels, { query: { limit: 1 } }),
    staleTime: JUST_ANSWERED_MS,
    enabled,
  };
}

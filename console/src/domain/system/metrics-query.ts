import { queryOptions } from "@tanstack/react-query";
import { dashboardHistory } from "#contract/dashboard.ts";
import { systemMetrics } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";

export function metricsQuery(permitted: boolean) {
  return { ...callQuery(systemMetrics), staleTime: JUST_ANSWERED_MS, enabled: permitted };
}

/** The service recounts every five minutes. */
export const HISTORY_POLL_MS = 5 * 60_000;

export function historyQuery() {
  return queryOptions({
    queryKey: keyOf(dashboardHistory),
    // Not abortable: a card that turns from skeleton into link would send a second request.
    queryFn: () => call(dashboardHistory),
    staleTime: HISTORY_POLL_MS,
  });
}

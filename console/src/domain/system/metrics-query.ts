import { systemMetrics } from "#contract/system.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";

export function metricsQuery(permitted: boolean) {
  return { ...callQuery(systemMetrics), staleTime: JUST_ANSWERED_MS, enabled: permitted };
}

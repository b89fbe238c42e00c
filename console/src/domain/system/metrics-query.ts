import { queryOptions } from "@tanstack/react-query";
import { systemMetrics } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import { systemKeys } from "#console/lib/query-keys.ts";

export function metricsQuery(permitted: boolean) {
  return queryOptions({
    queryKey: systemKeys.metrics,
    queryFn: ({ signal }) => call(systemMetrics, { signal }),
    staleTime: JUST_ANSWERED_MS,
    enabled: permitted,
  });
}

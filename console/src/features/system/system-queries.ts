import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { listAudit } from "#contract/audit.ts";
import { MAX_LOG_LINES } from "#contract/limits.ts";
import { systemLogs, systemMetrics, type LogLevel } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";

/** docs/console.md#intervals */
export const METRICS_POLL_MS = 5_000;
export const LOGS_POLL_MS = 10_000;

export const METRICS_KEY = ["system", "metrics"] as const;

export function metricsQuery(permitted: boolean) {
  return queryOptions({
    queryKey: METRICS_KEY,
    queryFn: ({ signal }) => call(systemMetrics, { signal }),
    staleTime: JUST_ANSWERED_MS,
    enabled: permitted,
  });
}

/** The newest entries of one level; each further page holds the previous hundred. */
export function logsQuery(level: LogLevel, search: string | undefined, paused: boolean) {
  return infiniteQueryOptions({
    queryKey: ["system", "logs", level, search ?? ""],
    queryFn: ({ pageParam, signal }) =>
      call(systemLogs, {
        query: { level, limit: MAX_LOG_LINES, search, before: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ logs }) => (logs.length < MAX_LOG_LINES ? undefined : logs.at(-1)?.id),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchOnWindowFocus: !paused,
  });
}

export const lastRunKey = (action: string) => ["audit", "last", action] as const;

/** The last run of a system-wide action, and who ran it. */
export function lastRunQuery(action: "cache.clear" | "workers.restart") {
  return queryOptions({
    queryKey: lastRunKey(action),
    queryFn: ({ signal }) => call(listAudit, { query: { action, limit: 1 }, signal }),
    staleTime: 0,
  });
}

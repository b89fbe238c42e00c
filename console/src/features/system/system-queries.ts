import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { MAX_LOG_LINES } from "#contract/limits.ts";
import type { LogLevel } from "#contract/values.ts";
import { systemLogs } from "#contract/system.ts";
import { call } from "#console/lib/api-client.ts";
import { loadScript } from "#console/lib/load-script.ts";
import { keyOf } from "#console/lib/call-query.ts";

/** docs/console.md#intervals */
export const METRICS_POLL_MS = 5_000;
export const LOGS_POLL_MS = 10_000;

/** The newest entries of one level; each further page holds the previous hundred. */
export function logsQuery(level: LogLevel, search: string | undefined, paused: boolean) {
  return infiniteQueryOptions({
    queryKey: [...keyOf(systemLogs), level, search],
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

export type SystemAction = "cache.clear" | "workers.restart" | "system.examine";

/**
 * The last run of a system-wide action, and who ran it. The audit log's calls are loaded with it,
 * because the start page needs this file but not those.
 */
export function lastRunQuery(action: SystemAction) {
  return queryOptions({
    queryKey: ["audit", "last run", action],
    queryFn: async ({ signal }) => {
      const { listAudit } = await loadScript(() => import("#contract/audit.ts"));
      return call(listAudit, { query: { action, limit: 1 }, signal });
    },
    staleTime: 0,
  });
}

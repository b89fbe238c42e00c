import { queryOptions } from "@tanstack/react-query";
import { fileStats } from "#contract/files.ts";
import { call } from "#console/lib/api-client.ts";
import { fileKeys } from "#console/lib/query-keys.ts";

/** docs/console.md#intervals */
export const STATS_POLL_MS = 60_000;

/** Totals over all files, regardless of filters. */
export function fileStatsQuery(shown: boolean) {
  return queryOptions({
    queryKey: fileKeys.stats,
    queryFn: ({ signal }) => call(fileStats, { signal }),
    staleTime: 0,
    enabled: shown,
  });
}

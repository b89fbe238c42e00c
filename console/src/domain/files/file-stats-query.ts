import { fileStats } from "#contract/files.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";

/** docs/console.md#intervals */
export const STATS_POLL_MS = 60_000;

/** Totals over all files, regardless of filters. */
export function fileStatsQuery(shown: boolean) {
  return { ...callQuery(fileStats), staleTime: JUST_ANSWERED_MS, enabled: shown };
}

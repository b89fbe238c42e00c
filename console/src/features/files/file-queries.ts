import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { browseFiles } from "#contract/files.ts";
import { DEFAULT_BROWSE_PAGE_SIZE, MAX_BROWSE_PAGE_SIZE } from "#contract/limits.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import { call } from "#console/lib/api-client.ts";
import type { ViewOf } from "#console/lib/api-request.ts";
import { fileKeys } from "#console/lib/query-keys.ts";

/** docs/console.md#intervals */
export const BROWSE_POLL_MS = 30_000;
const USERNAMES_STALE_MS = 5 * 60_000;

export function filesQuery(view: ViewOf<typeof browseFiles>) {
  return queryOptions({
    queryKey: fileKeys.list(view),
    queryFn: ({ signal }) =>
      call(browseFiles, { query: { ...view, limit: DEFAULT_BROWSE_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: JUST_ANSWERED_MS,
  });
}

/** File owners for the user filter, as grouped on a page of the maximum size. */
export function fileOwnersQuery() {
  return queryOptions({
    queryKey: fileKeys.owners,
    queryFn: ({ signal }) => call(browseFiles, { query: { limit: MAX_BROWSE_PAGE_SIZE }, signal }),
    staleTime: USERNAMES_STALE_MS,
    select: ({ byUser }) => byUser,
  });
}

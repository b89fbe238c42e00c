import { browseFiles } from "#contract/files.ts";
import { MAX_BROWSE_PAGE_SIZE } from "#contract/limits.ts";
import { callQuery } from "#console/lib/call-query.ts";

const USERNAMES_STALE_MS = 5 * 60_000;

/** File owners for the user filter, as grouped on a page of the maximum size. */
export function fileOwnersQuery() {
  return {
    ...callQuery(browseFiles, { query: { limit: MAX_BROWSE_PAGE_SIZE } }),
    // Not among the lists: a deletion does not request it again.
    queryKey: ["file-owners"],
    staleTime: USERNAMES_STALE_MS,
  };
}

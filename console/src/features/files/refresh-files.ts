import type { QueryClient } from "@tanstack/react-query";
import { browseFiles, fileStats } from "#contract/files.ts";
import { keyOf } from "#console/lib/call-query.ts";
import { showOwnChange } from "#console/lib/query-client.ts";

/** Refreshes the list and its totals after a deletion. */
export function refreshFiles(queryClient: QueryClient): void {
  showOwnChange();
  for (const which of [browseFiles, fileStats])
    void queryClient.invalidateQueries({ queryKey: keyOf(which) });
}

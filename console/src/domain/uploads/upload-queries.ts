import { keepPreviousData, queryOptions, replaceEqualDeep } from "@tanstack/react-query";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import { listFailedUploads, listUploads } from "#contract/uploads.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import { call } from "#console/lib/api-client.ts";
import type { ViewOf } from "#console/lib/api-request.ts";
import { uploadKeys } from "#console/lib/query-keys.ts";
import { keepNewerUploads } from "./upload-merge.ts";
import type { UploadsView } from "./uploads-view.ts";

/** docs/console.md#intervals */
export const LIVE_POLL_MS = 2_000;
export const FAILED_POLL_MS = 30_000;

export function uploadsQuery(view: UploadsView, live: boolean) {
  return queryOptions({
    queryKey: uploadKeys.list(view),
    queryFn: ({ signal }) =>
      call(listUploads, { query: { ...view, limit: DEFAULT_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: JUST_ANSWERED_MS,
    refetchOnWindowFocus: live,
    // A poll sent before an event may be answered after it; newer cached rows are kept.
    structuralSharing: (before, after) => replaceEqualDeep(before, keepNewerUploads(before, after)),
  });
}

export function failedUploadsQuery(view: ViewOf<typeof listFailedUploads>) {
  return queryOptions({
    queryKey: uploadKeys.failed(view),
    queryFn: ({ signal }) =>
      call(listFailedUploads, { query: { ...view, limit: DEFAULT_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: JUST_ANSWERED_MS,
  });
}

import { replaceEqualDeep } from "@tanstack/react-query";
import { listUploads, uploadWork } from "#contract/uploads.ts";
import { callQuery, pageQuery } from "#console/lib/call-query.ts";
import { startOf } from "#console/lib/local-day.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import { keepNewerUploads } from "./upload-merge.ts";
import type { UploadsView } from "./uploads-view.ts";

/** docs/console.md#intervals */
export const LIVE_POLL_MS = 2_000;
export const LOST_POLL_MS = 30_000;
export const FAILED_POLL_MS = 30_000;

/** The pages that live updates change. */
export const UPLOAD_LISTS = ["uploads", "list"];

/** What runs and waits, for the strip above a list. */
export function workQuery() {
  return {
    ...callQuery(uploadWork, { query: { dayStart: startOf(new Date(), 0) } }),
    staleTime: JUST_ANSWERED_MS,
  };
}

export function uploadsQuery(view: UploadsView, live: boolean) {
  return {
    ...pageQuery(listUploads, view, view.limit),
    queryKey: [...UPLOAD_LISTS, view],
    refetchOnWindowFocus: live,
    // A poll sent before an event may be answered after it; newer cached rows are kept.
    structuralSharing: (before: unknown, after: unknown) =>
      replaceEqualDeep(before, keepNewerUploads(before, after)),
  };
}

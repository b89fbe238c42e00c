import { keepPreviousData, queryOptions, replaceEqualDeep } from "@tanstack/react-query";
import { DEFAULT_PAGE_SIZE } from "#contract/limits.ts";
import type { PagedList } from "#contract/paging.ts";
import type { UploadId } from "#contract/ids.ts";
import {
  getUpload,
  listFailedUploads,
  listUploads,
  type FailureClass,
  type Upload,
  type UploadStatus,
} from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { keepNewerUploads } from "./upload-merge.ts";

/** Specification section 9. */
const LIVE_POLL_MS = 2_000;
const FAILED_POLL_MS = 30_000;

/** What a list of uploads shows; part of its cache key. */
export type UploadsView = {
  readonly page: number;
  readonly status?: UploadStatus | undefined;
  readonly search?: string | undefined;
};

export const uploadKeys = {
  all: ["uploads"] as const,
  lists: ["uploads", "list"] as const,
  list: (view: UploadsView) => ["uploads", "list", view] as const,
  one: (id: UploadId) => ["uploads", "one", id] as const,
  failed: ["uploads", "failed"] as const,
};

export type UploadPage = PagedList<Upload>;

export function uploadsQuery(view: UploadsView, live: boolean) {
  return queryOptions({
    queryKey: uploadKeys.list(view),
    queryFn: ({ signal }) =>
      call(listUploads, { query: { ...view, limit: DEFAULT_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: live ? LIVE_POLL_MS : false,
    // A poll that left before an event arrives after it; the newer version of each row stays.
    structuralSharing: (before, after) => replaceEqualDeep(before, keepNewerUploads(before, after)),
  });
}

export function uploadQuery(id: UploadId) {
  return queryOptions({
    queryKey: uploadKeys.one(id),
    queryFn: ({ signal }) => call(getUpload, { params: { id }, signal }),
    staleTime: 0,
  });
}

export type FailedView = {
  readonly page: number;
  readonly search?: string | undefined;
  readonly failureClass?: FailureClass | undefined;
};

export function failedUploadsQuery(view: FailedView) {
  return queryOptions({
    queryKey: [...uploadKeys.failed, view] as const,
    queryFn: ({ signal }) =>
      call(listFailedUploads, { query: { ...view, limit: DEFAULT_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: FAILED_POLL_MS,
  });
}

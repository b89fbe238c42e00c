import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  browseFiles,
  fileStats,
  getFile,
  type FileStatus,
  type ObjectKey,
  type UploadType,
} from "#contract/files.ts";
import type { UserId } from "#contract/ids.ts";
import { DEFAULT_BROWSE_PAGE_SIZE, MAX_BROWSE_PAGE_SIZE } from "#contract/limits.ts";
import { call } from "#console/lib/api-client.ts";
import type { FileSort } from "./files-search.ts";

/** docs/console.md#intervals */
export const BROWSE_POLL_MS = 30_000;
export const STATS_POLL_MS = 60_000;
const USERNAMES_STALE_MS = 5 * 60_000;

export const FILES_KEY = ["files"] as const;

/** View of the file list; part of its cache key. */
export type FilesView = {
  readonly page: number;
  readonly search?: string | undefined;
  readonly userId?: UserId | undefined;
  readonly uploadType?: UploadType | undefined;
  readonly status?: FileStatus | undefined;
  readonly sortBy: FileSort;
  readonly sortOrder: "asc" | "desc";
};

export function filesQuery(view: FilesView) {
  return queryOptions({
    queryKey: [...FILES_KEY, "browse", view] as const,
    queryFn: ({ signal }) =>
      call(browseFiles, { query: { ...view, limit: DEFAULT_BROWSE_PAGE_SIZE }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

/** Totals over all files, regardless of filters. */
export function fileStatsQuery(shown: boolean) {
  return queryOptions({
    queryKey: [...FILES_KEY, "stats"] as const,
    queryFn: ({ signal }) => call(fileStats, { signal }),
    staleTime: 0,
    enabled: shown,
  });
}

/** File owners for the user filter, as grouped on a page of the maximum size. */
export function fileOwnersQuery() {
  return queryOptions({
    queryKey: ["file-owners"] as const,
    queryFn: ({ signal }) => call(browseFiles, { query: { limit: MAX_BROWSE_PAGE_SIZE }, signal }),
    staleTime: USERNAMES_STALE_MS,
    select: ({ byUser }) => byUser,
  });
}

/** One file with its short-lived links, fetched each time its details open. */
export function fileQuery(key: ObjectKey | undefined) {
  return queryOptions({
    queryKey: ["file", key] as const,
    queryFn: ({ signal }) => {
      if (key === undefined) throw new TypeError("There is no file without a key");
      return call(getFile, { params: { key }, signal });
    },
    enabled: key !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
}

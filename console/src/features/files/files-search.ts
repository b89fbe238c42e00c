import * as z from "zod/mini";
import { fileStatusSchema, objectKeySchema, uploadTypeSchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { LIST_PARAMS, searchReader } from "#console/lib/search-params.ts";

export const FILE_SORTS = ["date", "name", "size", "user", "recorded"] as const;
export type FileSort = (typeof FILE_SORTS)[number];

export const readFilesSearch = searchReader({
  page: LIST_PARAMS.page,
  search: LIST_PARAMS.search,
  user: userIdSchema,
  type: uploadTypeSchema,
  status: fileStatusSchema,
  chat: z.literal("missing"),
  /** The date if it is absent. */
  sort: z.enum(["name", "size", "user", "recorded"]),
  order: LIST_PARAMS.order,
  hide: LIST_PARAMS.hide,
  /** The statistics are shown if it is absent. */
  stats: z.literal("hidden"),
  /** Key of the file whose details are open. */
  file: objectKeySchema,
});

export type FilesSearch = ReturnType<typeof readFilesSearch>;

/** Changing one of these leads to page 1. */
export const FILE_FILTERS = ["search", "user", "type", "status", "chat"] as const;
export type FileFilters = Pick<FilesSearch, (typeof FILE_FILTERS)[number]>;

export function filtersOf({ search, user, type, status, chat }: FileFilters): FileFilters {
  return { search, user, type, status, chat };
}

export function isFiltered(filters: FileFilters): boolean {
  return FILE_FILTERS.some((name) => filters[name] !== undefined);
}

export function sameFilters(one: FileFilters, other: FileFilters): boolean {
  return FILE_FILTERS.every((name) => one[name] === other[name]);
}

import {
  fileStatusSchema,
  objectKeySchema,
  uploadTypeSchema,
  type FileStatus,
  type ObjectKey,
  type UploadType,
} from "#contract/files.ts";
import { userIdSchema, type UserId } from "#contract/ids.ts";
import { MAX_SEARCH_LENGTH } from "#contract/limits.ts";
import {
  readChoice,
  readHide,
  readPage,
  readText,
  type RawSearch,
} from "#console/lib/search-params.ts";

export const FILE_SORTS = ["date", "name", "size", "user"] as const;
export type FileSort = (typeof FILE_SORTS)[number];

/** Changing one of these resets the page to 1. */
export type FileFilters = {
  readonly search?: string | undefined;
  readonly user?: UserId | undefined;
  readonly type?: UploadType | undefined;
  readonly status?: FileStatus | undefined;
};

/** Search parameters of the File Browser; absent means the default. */
export type FilesSearch = FileFilters & {
  readonly page?: number | undefined;
  readonly sort?: Exclude<FileSort, "date"> | undefined;
  readonly order?: "asc" | undefined;
  /** Hidden columns, e.g. `size,started`. */
  readonly hide?: string | undefined;
  /** Present only when the statistics are hidden. */
  readonly stats?: "hidden" | undefined;
  /** Key of the file whose details are open. */
  readonly file?: ObjectKey | undefined;
};

export function readFilesSearch(search: RawSearch): FilesSearch {
  return {
    page: readPage(search["page"]),
    search: readText(search["search"], MAX_SEARCH_LENGTH),
    user: userIdSchema.safeParse(search["user"]).data,
    type: readChoice(search["type"], uploadTypeSchema.options),
    status: readChoice(search["status"], fileStatusSchema.options),
    sort: readChoice(search["sort"], ["name", "size", "user"]),
    order: readChoice(search["order"], ["asc"]),
    hide: readHide(search["hide"]),
    stats: readChoice(search["stats"], ["hidden"]),
    file: objectKeySchema.safeParse(search["file"]).data,
  };
}

export function filtersOf({ search, user, type, status }: FilesSearch): FileFilters {
  return { search, user, type, status };
}

export function isFiltered(filters: FileFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

export function sameFilters(one: FileFilters, other: FileFilters): boolean {
  return (
    one.search === other.search &&
    one.user === other.user &&
    one.type === other.type &&
    one.status === other.status
  );
}

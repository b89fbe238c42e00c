import type { QueryOf } from "#contract/call.ts";
import type { browseFiles } from "#contract/files.ts";
import {
  inDirection,
  MAX_NARROW_ROWS,
  MAX_SORTED_ROWS,
  plainPage,
  searchPage,
  type List,
  type ListPage,
  type ListWindow,
} from "#service/db/list.ts";
import { searchFor, searchTerm } from "#service/db/search.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { readCounts, sum, type Count } from "./file-counts.ts";

export type FileQuery = QueryOf<typeof browseFiles>;

export type FilePage = {
  readonly page: ListPage;
  readonly orderBy: Statement;
  /** Counts of the files that match the filters, ignoring the search. */
  readonly counts: readonly Count[];
  /** For a search: selects the `seq` of the counted matches. */
  readonly matches: Statement | null;
};

/** Finds the files that match a query within a window of the list's order. */
export async function findFilePage(
  database: Database,
  query: FileQuery,
  window: ListWindow,
): Promise<FilePage> {
  const counts = await readCounts(database, query);
  const total = sum(counts, ({ files }) => files);
  const list = fileList(query, total);
  const orderBy = outerOrder(query);
  const term = searchTerm(query.search);
  if (term === null)
    return { page: plainPage(list, total, window), orderBy, counts, matches: null };
  const search = searchFor("file_search", term, ["filename", "object_key"]);
  const page = await searchPage(database, list, search, total, window);
  return { page, orderBy, counts, matches: page.counted };
}

const IN_ORDER: Readonly<Record<FileQuery["sortBy"], Statement>> = {
  date: sql`files f INDEXED BY files_by_date`,
  name: sql`files f INDEXED BY files_by_name`,
  size: sql`files f INDEXED BY files_by_size`,
  // Owners in the order of their names, and the files of each by number.
  user: sql`file_owners o CROSS JOIN files f INDEXED BY files_user`,
};

const SORT_COLUMNS: Readonly<Record<FileQuery["sortBy"], Statement>> = {
  date: sql`f.last_modified_at`,
  name: sql`f.filename COLLATE NOCASE`,
  size: sql`f.size_bytes`,
  user: sql`coalesce((SELECT login FROM users WHERE id = f.user_id), '') COLLATE NOCASE`,
};

/** `total` is the number of files that pass the filters, ignoring the search. */
function fileList(query: FileQuery, total: number): List {
  const { userId, status, uploadType, sortBy, sortOrder } = query;
  const isFiltered = status !== undefined || uploadType !== undefined;
  const isByOwner = sortBy === "user" && userId === undefined;
  const byNumber =
    userId !== undefined
      ? sql`files f INDEXED BY files_user`
      : isFiltered
        ? sql`files f INDEXED BY files_by_status`
        : sql`files f`;
  const way = inDirection(sortOrder);
  const isSorted =
    userId === undefined ? isFiltered && total <= MAX_SORTED_ROWS : total <= MAX_NARROW_ROWS;
  const ofOneOwner = sortBy === "user" && !isByOwner;
  const filters = [
    ...(userId === undefined ? [] : [sql`f.user_id = ${userId}`]),
    // Both columns, so that the index by status finds a file by its number.
    ...(isFiltered
      ? [
          status === undefined
            ? sql`f.status IN ('complete', 'partial', 'orphaned')`
            : sql`f.status = ${status}`,
          uploadType === undefined
            ? sql`f.upload_type IN (SELECT upload_type FROM file_counts WHERE user_id = '*')`
            : sql`f.upload_type = ${uploadType}`,
        ]
      : []),
  ];
  return {
    inOrder: isByOwner
      ? isSorted
        ? sql`${byNumber} CROSS JOIN file_owners o`
        : IN_ORDER.user
      : isSorted || ofOneOwner
        ? byNumber
        : IN_ORDER[sortBy],
    byNumber: isByOwner ? sql`${byNumber} CROSS JOIN file_owners o` : byNumber,
    seq: sql`f.seq`,
    // Either condition finds the other table's rows, whichever is read first.
    where: isByOwner
      ? [
          sql`f.user_id IS nullif(o.user_id, '-')`,
          sql`o.user_id = coalesce(f.user_id, '-')`,
          ...filters,
        ]
      : filters,
    orderBy: isByOwner
      ? sql`o.login ${way}, o.user_id ${way}, f.seq ${way}`
      : ofOneOwner
        ? sql`f.seq ${way}`
        : outerOrder(query),
    byCreation: ofOneOwner ? sortOrder : null,
    isByName: sortBy === "name" || sortBy === "user",
  };
}

/** The order of the page's rows, without joins. */
function outerOrder({ sortBy, sortOrder }: FileQuery): Statement {
  const way = inDirection(sortOrder);
  const owner = sortBy === "user" ? sql`coalesce(f.user_id, '-') ${way},` : sql``;
  return sql`${SORT_COLUMNS[sortBy]} ${way}, ${owner} f.seq ${way}`;
}

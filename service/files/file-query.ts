import type { QueryOf } from "#contract/call.ts";
import type { browseFiles } from "#contract/files.ts";
import {
  listPage,
  MAX_NARROW_ROWS,
  MAX_SORTED_ROWS,
  type List,
  type ListPage,
  type ListWindow,
} from "#service/db/list.ts";
import { searchFor } from "#service/db/search.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import {
  isCountedSingly,
  matchChunks,
  NOT_IN_TRASH,
  readCounts,
  singlyCounted,
  singlyIndexed,
  sum,
  type Count,
} from "./file-counts.ts";
import { FILE_DURATION_SEC, FILE_OWNER } from "./file-row.ts";

export type FileQuery = QueryOf<typeof browseFiles>;

export type FilePage = {
  readonly page: ListPage;
  /** Chunks that the query leaves out. */
  readonly hiddenChunks: number;
  /** Counts of the files that match the filters, ignoring the search. */
  readonly counts: readonly Count[];
};

/** Finds the files that match a query within a window of the list's order. */
export async function findFilePage(
  database: Database,
  query: FileQuery,
  window: ListWindow,
): Promise<FilePage> {
  const all = await readCounts(database, query);
  const counts = all.filter(
    ({ upload_type: type }) => query.chunks === undefined || type !== "chunk",
  );
  const total = sum(counts, ({ files }) => files);
  const hasTrash = counts.some(({ trashed }) => trashed > 0);
  const list = fileList(query, total, hasTrash);
  const search = searchFor("file_search", query.search, ["filename", "object_key", "title"]);
  const page = await listPage(database, list, search, total, window);
  const hiddenChunks = sum(all, ({ files }) => files) - total;
  return { page, counts, hiddenChunks };
}

const IN_ORDER: Readonly<Record<FileQuery["sortBy"], Statement>> = {
  date: sql`files f INDEXED BY files_by_date`,
  name: sql`files f INDEXED BY files_by_name`,
  size: sql`files f INDEXED BY files_by_size`,
  recorded: sql`files f INDEXED BY files_by_recording`,
  length: sql`files f INDEXED BY files_by_length`,
  // Owners in the order of their names, and the files of each by broadcast date.
  user: sql`file_owners o CROSS JOIN files f INDEXED BY files_of_user_by_recording
    ON f.user_id IS nullif(o.user_id, '-')`,
};

const SORT_COLUMNS: Readonly<Record<FileQuery["sortBy"], readonly Statement[]>> = {
  date: [sql`f.last_modified_at`],
  name: [sql`f.filename COLLATE NOCASE`],
  size: [sql`f.size_bytes`],
  recorded: [sql`f.recorded_at`],
  length: [FILE_DURATION_SEC],
  user: [sql`o.login`, sql`o.user_id`, sql`f.recorded_at`],
};

/**
 * `total` is the number of files that pass the filters, ignoring the search; `hasTrash` says whether
 * some of these are in the trash.
 */
function fileList(query: FileQuery, total: number, hasTrash: boolean): List {
  if (isCountedSingly(query)) return listCountedSingly(query, total);
  const { userId, status, uploadType, chunks, sortOrder } = query;
  // One owner's files are in the order of owners already.
  const sortBy = query.sortBy === "user" && userId !== undefined ? "recorded" : query.sortBy;
  const isFiltered = [status, uploadType, chunks].some((filter) => filter !== undefined);
  const isFew =
    userId === undefined ? isFiltered && total <= MAX_SORTED_ROWS : total <= MAX_NARROW_ROWS;
  const inOrder =
    sortBy === "recorded" && userId !== undefined
      ? sql`files f INDEXED BY files_of_user_by_recording`
      : isFew
        ? null
        : IN_ORDER[sortBy];
  const filtered =
    userId !== undefined
      ? sql`files f INDEXED BY files_of_user_by_recording`
      : isFiltered
        ? sql`files f INDEXED BY files_by_status`
        : sql`files f`;
  const byNumber = sortBy === "user" ? sql`${filtered} CROSS JOIN ${FILE_OWNER}` : filtered;
  return {
    inOrder: inOrder ?? byNumber,
    byNumber,
    seq: sql`f.seq`,
    where: [
      ...(userId === undefined ? [] : [sql`f.user_id = ${userId}`]),
      // Both columns, so that the index by status finds a file by its number.
      ...(isFiltered
        ? [
            status === undefined
              ? sql`f.status IN ('complete', 'partial', 'orphaned')`
              : sql`f.status = ${status}`,
            uploadType === undefined
              ? sql`f.upload_type IN (SELECT upload_type FROM file_counts c WHERE user_id = '*' AND ${matchChunks(query)})`
              : sql`f.upload_type = ${uploadType}`,
          ]
        : []),
      ...(hasTrash ? [NOT_IN_TRASH] : []),
    ],
    sortedBy: SORT_COLUMNS[sortBy],
    direction: sortOrder,
  };
}

/** For filters that the maintained counts do not cover; an index answers each. */
function listCountedSingly(query: FileQuery, total: number): List {
  const { sortBy, sortOrder } = query;
  const owners = sortBy === "user" ? sql` CROSS JOIN ${FILE_OWNER}` : sql``;
  const isFew = total <= MAX_SORTED_ROWS || query.trash !== undefined;
  return {
    inOrder: isFew ? sql`${singlyIndexed(query)}${owners}` : IN_ORDER[sortBy],
    byNumber: sql`files f${owners}`,
    seq: sql`f.seq`,
    where: singlyCounted(query),
    sortedBy: SORT_COLUMNS[sortBy],
    direction: sortOrder,
  };
}

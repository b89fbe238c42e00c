import type { QueryOf } from "#contract/call.ts";
import type { browseFiles } from "#contract/files.ts";
import {
  inDirection,
  type Direction,
  type ListShape,
  type ListWindow,
} from "#service/db/list-page.ts";
import { isFoldedBySql } from "#service/db/search-match.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Statement } from "#service/platform.ts";

export type FileQuery = QueryOf<typeof browseFiles>;

const SORT_COLUMNS: Readonly<Record<FileQuery["sortBy"], Statement>> = {
  date: sql`f.last_modified_at`,
  name: sql`f.filename COLLATE NOCASE`,
  size: sql`f.size_bytes`,
  user: sql`coalesce((SELECT login FROM users WHERE id = f.user_id), '') COLLATE NOCASE`,
};

/** Up to here, reading all that the filters leave and sorting it beats stepping over others. */
const FEW = 5_000;

/** The list without its search; `total` is how many files the filters leave. */
export function fileShape(query: FileQuery, total: number): ListShape {
  const filters = [...ofStatus(query), ...ofType(query)];
  const ordered = {
    seq: sql`f.seq`,
    orderBy(direction: Direction) {
      const way = inDirection(direction);
      return sql`${SORT_COLUMNS[query.sortBy]} ${way}, f.seq ${way}`;
    },
    direction: query.sortOrder,
  };
  if (query.userId !== undefined) {
    const where = [sql`f.user_id = ${query.userId}`, ...filters];
    return { ...ordered, from: sql`files f INDEXED BY files_by_user`, where };
  }
  const isFiltered = filters.length > 0;
  const isInOrder =
    query.sortBy === "date" && query.status !== undefined && query.uploadType !== undefined;
  if (isInOrder || (isFiltered && total <= FEW)) {
    // A filter by type alone uses the index too when every status is named.
    const statuses =
      query.status === undefined ? [sql`f.status IN ('complete', 'partial', 'orphaned')`] : [];
    const where = [...statuses, ...filters];
    return { ...ordered, from: sql`files f INDEXED BY files_by_status`, where };
  }
  return { ...ordered, from: IN_ORDER[query.sortBy], where: filters };
}

const IN_ORDER: Readonly<Record<FileQuery["sortBy"], Statement>> = {
  date: sql`files f INDEXED BY files_by_date`,
  name: sql`files f INDEXED BY files_by_name`,
  size: sql`files f INDEXED BY files_by_size`,
  user: sql`files f`,
};

/**
 * The rows of a page sorted by user: the users whose files lie on it are found by adding up
 * maintained counts, and only their files are sorted.
 */
export function rowsByUser(query: FileQuery, window: ListWindow): Statement {
  const way = inDirection(query.sortOrder);
  const filters = [...ofStatus(query), ...ofType(query)];
  return sql`
    WITH owners AS (${ownersOf(query)}),
    touched AS MATERIALIZED (
      SELECT user_id, login, before FROM (
        SELECT user_id, login, files,
          sum(files) OVER (ORDER BY login ${way}, user_id ${way}) - files AS before
        FROM owners)
      WHERE before < ${window.offset + window.limit} AND before + files > ${window.offset})
    SELECT f.seq FROM touched t CROSS JOIN files f
    WHERE (f.user_id = t.user_id OR (t.user_id = '-' AND f.user_id IS NULL)) AND ${all(filters)}
    ORDER BY t.login ${way}, t.user_id ${way}, f.seq ${way}
    LIMIT ${window.limit} OFFSET (SELECT ${window.offset} - min(before) FROM touched)`;
}

/** Owners with the number and size of their files that the filters by status and type leave. */
function ownersOf(query: Pick<FileQuery, "status" | "uploadType">): Statement {
  if (query.status === undefined && query.uploadType === undefined)
    return sql`SELECT user_id, login, files, bytes FROM file_owners WHERE files > 0`;
  return sql`
    SELECT o.user_id, o.login, c.files, c.bytes FROM (
      SELECT user_id, sum(files) AS files, sum(bytes) AS bytes FROM file_counts c
      WHERE user_id <> '*' AND files > 0 AND ${matchCounts(query)} GROUP BY user_id) c
    JOIN file_owners o ON o.user_id = c.user_id`;
}

function ofStatus({ status }: FileQuery): readonly Statement[] {
  return status === undefined ? [] : [sql`f.status = ${status}`];
}

function ofType({ uploadType }: FileQuery): readonly Statement[] {
  return uploadType === undefined ? [] : [sql`f.upload_type = ${uploadType}`];
}

/** The filters by status and type over the maintained counts `c`. */
export function matchCounts({
  status,
  uploadType,
}: Pick<FileQuery, "status" | "uploadType">): Statement {
  return all([
    ...(status === undefined ? [] : [sql`c.status = ${status}`]),
    ...(uploadType === undefined ? [] : [sql`c.upload_type = ${uploadType}`]),
  ]);
}

/** The search as a test of one row of `files f`. */
export function rowHolds(term: string): Statement | null {
  if (!isFoldedBySql(term)) return null;
  const folded = term.toLowerCase();
  return sql`(instr(lower(coalesce(f.filename, '')), ${folded}) > 0
    OR instr(lower(f.object_key), ${folded}) > 0)`;
}

import type { QueryOf } from "#contract/call.ts";
import type { browseFiles } from "#contract/files.ts";
import { inDirection, type Direction, type ListShape } from "#service/db/list-shape.ts";
import { isFoldedBySql } from "#service/db/search-match.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

export type FileQuery = QueryOf<typeof browseFiles>;

const SORT_COLUMNS: Readonly<Record<FileQuery["sortBy"], Statement>> = {
  date: sql`f.last_modified_at`,
  name: sql`f.filename COLLATE NOCASE`,
  size: sql`f.size_bytes`,
  user: sql`coalesce((SELECT login FROM users WHERE id = f.user_id), '') COLLATE NOCASE`,
};

/** Up to this many matches, reading and sorting all of them is faster than skipping other rows. */
const FEW = 5_000;

/** The list without its search; `total` is the number of files that match the filters. */
export function fileShape(query: FileQuery, total: number): ListShape {
  const filters = [...ofStatus(query), ...ofType(query)];
  const isByOneOwner = query.sortBy === "user" && query.userId !== undefined;
  const ordered = {
    seq: sql`f.seq`,
    orderBy(direction: Direction) {
      const way = inDirection(direction);
      return isByOneOwner
        ? sql`f.seq ${way}`
        : sql`${SORT_COLUMNS[query.sortBy]} ${way}, f.seq ${way}`;
    },
    direction: query.sortOrder,
  };
  if (query.userId !== undefined) {
    const where = [sql`f.user_id = ${query.userId}`, ...filters];
    return { ...ordered, from: OF_USER[query.sortBy], where };
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

const OF_USER: Readonly<Record<FileQuery["sortBy"], Statement>> = {
  date: sql`files f INDEXED BY files_by_user`,
  name: sql`files f INDEXED BY files_by_user_name`,
  size: sql`files f INDEXED BY files_by_user_size`,
  user: sql`files f INDEXED BY files_user`,
};

const IN_ORDER: Readonly<Record<FileQuery["sortBy"], Statement>> = {
  date: sql`files f INDEXED BY files_by_date`,
  name: sql`files f INDEXED BY files_by_name`,
  size: sql`files f INDEXED BY files_by_size`,
  user: sql`files f`,
};

export function ofStatus({ status }: FileQuery): readonly Statement[] {
  return status === undefined ? [] : [sql`f.status = ${status}`];
}

export function ofType({ uploadType }: FileQuery): readonly Statement[] {
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

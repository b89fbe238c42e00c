import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { PagedList } from "#contract/paging.ts";
import type { FailureClass, UPLOAD_SORTS, UploadStatus } from "#contract/uploads.ts";
import { all, join, sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/platform.ts";

export type UploadFilter = {
  readonly status?: UploadStatus | undefined;
  readonly search?: string | undefined;
  /** `error`: the Failed screen searches error messages instead of titles. */
  readonly searchIn: "title" | "error";
  readonly userId?: string | undefined;
  readonly failureClass?: FailureClass | undefined;
};

export type UploadSort = (typeof UPLOAD_SORTS)[number];

const SORT_COLUMNS: Readonly<Record<UploadSort, Statement>> = {
  // Numbers are given in the order of creation, which is the order in which uploads start.
  startedAt: sql`u.seq`,
  filename: sql`u.filename COLLATE NOCASE`,
  size: sql`u.source_bytes`,
  status: sql`u.status`,
};

export function orderUploads(sortBy: UploadSort, sortOrder: "asc" | "desc"): Statement {
  const direction = sortOrder === "asc" ? sql`ASC` : sql`DESC`;
  return sql`ORDER BY ${SORT_COLUMNS[sortBy]} ${direction}, u.seq ${direction}`;
}

/** A condition over `uploads u` joined with its owner `o`. */
export function matchUploads(filter: UploadFilter): Statement {
  return all([
    ...(filter.status === undefined ? [] : [sql`u.status = ${filter.status}`]),
    ...(filter.userId === undefined ? [] : [sql`u.owner_id = ${filter.userId}`]),
    ...(filter.failureClass === undefined
      ? []
      : [sql`coalesce(u.failure_class, 'ours') = ${filter.failureClass}`]),
    ...searchWords(filter),
  ]);
}

/**
 * Plain substring, so that `%` and `_` mean themselves and no pattern gets longer than D1's 50
 * bytes. Upper and lower case of ASCII letters are alike.
 */
function searchWords({ search, searchIn }: UploadFilter): readonly Statement[] {
  const text = search?.trim() ?? "";
  if (text === "") return [];
  const columns = [
    sql`u.filename`,
    sql`o.login`,
    sql`o.display_name`,
    searchIn === "error" ? sql`u.error_message` : sql`u.title`,
  ];
  const matches = columns.map((column) => sql`instr(lower(${column}), lower(${text})) > 0`);
  return [sql`(${join(matches, " OR ")})`];
}

/** What a filter without search costs one row to count; others are counted up to a bound. */
export async function countUploads(
  database: Database,
  filter: UploadFilter,
): Promise<{ total: number; totalIsCapped: boolean }> {
  const isPlain =
    (filter.search ?? "").trim() === "" &&
    filter.userId === undefined &&
    filter.failureClass === undefined;
  if (isPlain) {
    const names =
      filter.status === undefined
        ? sql`name LIKE 'uploads.%'`
        : sql`name = ${`uploads.${filter.status}`}`;
    const [row] = await database.all(
      sql`SELECT coalesce(sum(value), 0) AS total FROM counters WHERE ${names}`,
    );
    return { total: Number(row?.total ?? 0), totalIsCapped: false };
  }
  const [row] = await database.all(sql`
    SELECT count(*) AS total FROM (
      SELECT 1 FROM uploads u LEFT JOIN users o ON o.id = u.owner_id
      WHERE ${matchUploads(filter)} LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})`);
  const counted = Number(row?.total ?? 0);
  return {
    total: Math.min(counted, MAX_EXACT_SEARCH_TOTAL),
    totalIsCapped: counted > MAX_EXACT_SEARCH_TOTAL,
  };
}

/** `rows` holds one more than a page when there is a next one. */
export function pageOf<Item>(
  rows: readonly Item[],
  { page, limit }: { page: number; limit: number },
  count: { total: number; totalIsCapped: boolean },
): PagedList<Item> {
  const hasNext = rows.length > limit;
  return {
    items: rows.slice(0, limit),
    total: count.total,
    ...(count.totalIsCapped ? { totalIsCapped: true } : {}),
    page,
    limit,
    hasPrev: page > 1,
    hasNext,
  };
}

import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { PagedList } from "#contract/paging.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { matchesOf, type Search } from "./search.ts";
import { all, sql } from "./sql.ts";

export type Direction = "asc" | "desc";

export type ListWindow = { readonly offset: number; readonly limit: number };

/** One list's filters and order. Figures are in docs/decisions/0035-lists-at-a-million-rows.md. */
export type List = {
  /** The tables in the order of the list, or with an index that leaves few rows to sort. */
  readonly inOrder: Statement;
  /** The tables by row number, with the index that answers the filters. */
  readonly byNumber: Statement;
  /** The row number, e.g. `u.seq`. */
  readonly seq: Statement;
  readonly where: readonly Statement[];
  /** ORDER BY, ending in the row number. */
  readonly orderBy: Statement;
  /** The direction, if the order is that of creation, which is the search index's order too. */
  readonly byCreation: Direction | null;
  /** The order is that of a name, where the matches of a search gather in one place. */
  readonly isByName: boolean;
};

export type ListPage = {
  /** Selects the row numbers of the page, in any order. */
  readonly rows: Statement;
  readonly total: number;
  readonly totalIsCapped: boolean;
};

export type SearchPage = ListPage & {
  /** Selects the row numbers of the counted matches as `seq`. */
  readonly counted: Statement;
};

/**
 * Up to this many rows, reading and sorting all that pass a filter is faster than passing over the
 * others in the order of the list.
 */
export const MAX_SORTED_ROWS = 5_000;

/**
 * Up to this many rows, those that pass the filters are looked up among the matches of a search,
 * and all of one owner's are sorted: walking the list's order would read every row of the others.
 */
export const MAX_NARROW_ROWS = 20_000;

/**
 * With more matches than this, and than a tenth of the rows that pass the filters, walking the
 * list's order is faster than sorting them all. On the first pages each row is looked up in the
 * search index itself, as gathering the matches would take longer.
 */
const DENSE_MATCHES = 10_000;
const MAX_PROBED_OFFSET = 200;

/** A page without a search; `total` comes from the maintained counts. */
export function plainPage(list: List, total: number, { offset, limit }: ListWindow): ListPage {
  const rows = sql`
    SELECT ${list.seq} FROM ${list.inOrder} WHERE ${all(list.where)}
    ORDER BY ${list.orderBy} LIMIT ${limit} OFFSET ${offset}`;
  return { rows: offset < total ? rows : NO_ROWS, total, totalIsCapped: false };
}

/**
 * A page of a search; `candidates` is the number of rows that pass the filters alone. The matches
 * are counted up to a limit. In the order of creation they come sorted from the search index. In
 * another order they are sorted, unless so many rows match that a walk soon finds them.
 */
export async function searchPage(
  database: Database,
  list: List,
  search: Search | null,
  candidates: number,
  { offset, limit }: ListWindow,
): Promise<SearchPage> {
  if (search === null || candidates === 0)
    return { rows: NO_ROWS, counted: NO_ROWS, total: 0, totalIsCapped: false };
  const { index, expression } = search;
  const { seq, byNumber, where, orderBy, byCreation } = list;
  const matches = matchesOf(search);
  const walk = (table: Statement, isMatch: Statement) =>
    sql`SELECT ${seq} AS seq FROM ${table} WHERE ${isMatch} AND ${all(where)}`;
  const isGathered = sql`+${seq} IN (${matches})`;
  const isProbed = sql`EXISTS (${matches} AND ${index}.rowid = ${seq})`;
  const isNarrow = where.length > 0 && candidates <= MAX_NARROW_ROWS;
  const joined = sql`SELECT ${seq} AS seq FROM ${index} CROSS JOIN ${byNumber}
    WHERE ${seq} = ${index}.rowid AND ${index} MATCH ${expression} AND ${all(where)}`;
  const unsorted =
    where.length === 0
      ? sql`SELECT ${index}.rowid AS seq FROM ${index} WHERE ${index} MATCH ${expression}`
      : isNarrow
        ? walk(byNumber, isGathered)
        : joined;
  const [found] = await database.all(sql`
    SELECT count(*) AS counted, json_group_array(seq) AS numbers
    FROM (${unsorted} LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})`);
  const total = cappedTotal(Number(found?.counted));
  const numbers = String(found?.numbers);
  const counted = sql`SELECT value AS seq FROM json_each(${numbers})`;
  const page = sql`LIMIT ${limit} OFFSET ${offset}`;
  async function isDense(): Promise<boolean> {
    const few = Math.max(DENSE_MATCHES, Math.floor(candidates / 10));
    return (await database.all(sql`${matches} LIMIT 1 OFFSET ${few}`)).length > 0;
  }
  async function inOtherOrder(): Promise<Statement> {
    if (isNarrow) return unsorted;
    if (!(await isDense())) return joined;
    const isFirst = offset <= MAX_PROBED_OFFSET && !list.isByName;
    return walk(list.inOrder, isFirst ? isProbed : isGathered);
  }
  const rows = !total.totalIsCapped
    ? sql`SELECT ${seq} FROM json_each(${numbers}) AS counted CROSS JOIN ${byNumber}
        WHERE ${seq} = counted.value AND ${all(where)} ORDER BY ${orderBy} ${page}`
    : byCreation !== null && !isNarrow
      ? sql`${unsorted} ORDER BY ${index}.rowid ${inDirection(byCreation)} ${page}`
      : sql`${await inOtherOrder()} ORDER BY ${orderBy} ${page}`;
  return { rows, counted, ...total };
}

/** The number of selected rows; above the limit of a search's total, the limit. */
export async function countCapped(
  database: Database,
  rows: Statement,
): Promise<Pick<ListPage, "total" | "totalIsCapped">> {
  const [row] = await database.all(
    sql`SELECT count(*) AS counted FROM (SELECT 1 FROM (${rows}) LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})`,
  );
  return cappedTotal(Number(row?.counted));
}

function cappedTotal(counted: number): Pick<ListPage, "total" | "totalIsCapped"> {
  return {
    total: Math.min(counted, MAX_EXACT_SEARCH_TOTAL),
    totalIsCapped: counted > MAX_EXACT_SEARCH_TOTAL,
  };
}

const NO_ROWS = sql`SELECT NULL AS seq WHERE FALSE`;

/** The direction as an SQL keyword. */
export function inDirection(direction: Direction): Statement {
  return { sql: direction, values: [] };
}

export function windowOf({ page, limit }: { page: number; limit: number }): ListWindow {
  return { offset: (page - 1) * limit, limit };
}

/** Wraps one page's items into the answer of a list. */
export function pagedList<Item>(
  items: Item[],
  { total, totalIsCapped }: Pick<ListPage, "total" | "totalIsCapped">,
  { page, limit }: { page: number; limit: number },
): PagedList<Item> {
  return {
    items,
    total,
    ...(totalIsCapped ? { totalIsCapped } : {}),
    page,
    limit,
    hasPrev: page > 1,
    // Beyond a capped total, only a short page marks the end.
    hasNext: totalIsCapped ? items.length === limit : page * limit < total,
  };
}

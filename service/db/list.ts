import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { PagedList } from "#contract/paging.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { matchesOf, type Search } from "./search.ts";
import { all, join, sql } from "./sql.ts";

export type Direction = "asc" | "desc";

export type ListWindow = { readonly offset: number; readonly limit: number };

/** One list's filters and order. Figures are in docs/decisions/0035-lists-at-a-million-rows.md. */
export type List = {
  /**
   * The tables in the order of the list, or with an index that leaves few rows to sort. They can be read
   * without the filters: a partial index comes with its own condition.
   */
  readonly inOrder: Statement;
  /** The tables by row number, with the index that answers the filters. */
  readonly byNumber: Statement;
  /** The row number, e.g. `u.seq`. */
  readonly seq: Statement;
  readonly where: readonly Statement[];
  /** What rows are sorted by before their number; empty in the order of creation, as the search index has it. */
  readonly sortedBy: readonly Statement[];
  readonly direction: Direction;
};

type ListTotal = { readonly total: number; readonly totalIsCapped: boolean };

export type ListPage = ListTotal & {
  /** Selects the row numbers of the page, in any order. */
  readonly rows: Statement;
  /** ORDER BY of the list. */
  readonly orderBy: Statement;
  /** For a search: selects the row numbers of the counted matches as `seq`. */
  readonly counted: Statement | null;
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

/** Up to this many matches are sorted, however many rows pass the filters. */
const MAX_SORTED_MATCHES = 10_000;

/** How many of the list's first rows are searched for matches that are spread over its order. */
const FIRST_ROWS = 1_000;

/** How many of the first thousand matches are ignored at each end, to find the range of most of them. */
const STRAY_MATCHES = 20;

/** A page of a list; `total` is the number of rows that pass the filters, ignoring the search. */
export async function listPage(
  database: Database,
  list: List,
  search: Search | null,
  total: number,
  window: ListWindow,
): Promise<ListPage> {
  return search === null
    ? plainPage(list, total, window)
    : await searchPage(database, list, search, total, window);
}

/** A page without a search, read from the end of the list that is nearer. */
export function plainPage(list: List, total: number, { offset, limit }: ListWindow): ListPage {
  const left = Math.max(0, total - offset);
  const after = Math.max(0, left - limit);
  const [direction, window] =
    after < offset
      ? [OPPOSITE[list.direction], { offset: after, limit: Math.min(limit, left) }]
      : [list.direction, { offset, limit }];
  const rows = sql`
    SELECT ${list.seq} FROM ${list.inOrder} WHERE ${all(list.where)}
    ORDER BY ${orderOf(list, direction)} ${limitTo(window)}`;
  return {
    rows: left > 0 ? rows : NO_ROWS,
    orderBy: orderOf(list),
    total,
    totalIsCapped: false,
    counted: null,
  };
}

const OPPOSITE = { asc: "desc", desc: "asc" } as const;

function orderOf({ sortedBy, seq, direction }: List, as = direction): Statement {
  return join(
    [...sortedBy, seq].map((column) => sql`${column} ${inDirection(as)}`),
    ", ",
  );
}

/**
 * A page of a search among `candidates` rows, which pass the filters. The matches are first counted
 * up to the limit of a search's total. How the page is read depends on what there is least of:
 *
 * | case | way |
 * | --- | --- |
 * | few matches | sort those that were counted |
 * | few candidates | look each candidate up among the matches, and sort those found |
 * | order of creation | read the search index, which has this order |
 * | few matches lie apart from the others | sort those before the others in the list's order |
 * | many are spread over the list's order | look its first rows up among the matches |
 * | less than a tenth of the candidates match | read the row of each match, and sort them |
 * | more match | read the list in its order and look each row up among the matches |
 */
async function searchPage(
  database: Database,
  list: List,
  search: Search,
  candidates: number,
  window: ListWindow,
): Promise<ListPage> {
  const orderBy = orderOf(list);
  if (candidates === 0)
    return { rows: NO_ROWS, orderBy, counted: NO_ROWS, total: 0, totalIsCapped: false };
  const isFiltered = list.where.length > 0;
  const isNarrow = isFiltered && candidates <= MAX_NARROW_ROWS;
  const wide = isFiltered ? byMatch(list, search) : unfiltered(search);
  const matching = isNarrow ? amongMatches(list, list.byNumber, search) : wide;
  const [found] = await database.all(sql`
    SELECT count(*) AS counted, json_group_array(seq) AS numbers
    FROM (${matching} LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})`);
  const total = cappedTotal(Number(found?.counted));
  const numbers = String(found?.numbers);
  const counted = sql`SELECT value AS seq FROM json_each(${numbers})`;
  const known = { orderBy, counted, ...total };
  if (!total.totalIsCapped) return { rows: byNumbers(list, numbers, window), ...known };
  if (isNarrow) return { rows: sql`${matching} ORDER BY ${orderBy} ${limitTo(window)}`, ...known };
  const byCreation = sql`ORDER BY ${search.index}.rowid ${inDirection(list.direction)}`;
  const rows =
    list.sortedBy.length > 0
      ? await manyMatches(database, list, search, { candidates, numbers }, window)
      : sql`${matching} ${byCreation} ${limitTo(window)}`;
  return { rows, ...known };
}

/** The last four cases of {@link searchPage}; `numbers` are those of the first matches. */
async function manyMatches(
  database: Database,
  list: List,
  search: Search,
  { candidates, numbers }: { readonly candidates: number; readonly numbers: string },
  window: ListWindow,
): Promise<Statement> {
  const page = sql`ORDER BY ${orderOf(list)} ${limitTo(window)}`;
  const mostSorted = Math.max(MAX_SORTED_MATCHES, Math.floor(candidates / 10));
  const [counted] = await database.all(
    sql`SELECT count(*) AS matches FROM (${matchesOf(search)} LIMIT ${mostSorted + 1})`,
  );
  const matches = Number(counted?.matches);
  const end = window.offset + window.limit;
  const isSorted = matches <= mostSorted;
  if (matches > MAX_SORTED_MATCHES) {
    const apart = isSorted
      ? await findApart(database, list, search, { matches, numbers }, end)
      : NONE_FOUND;
    if (apart.counted >= end) return byNumbers(list, apart.numbers, window);
    // Half of what is expected, if they are spread.
    const mostAmongFirst = isSorted ? (FIRST_ROWS * matches) / candidates / 2 : FIRST_ROWS;
    const first = end <= mostAmongFirst ? await findAmongFirst(database, list, search) : NONE_FOUND;
    if (first.counted >= end) return byNumbers(list, first.numbers, window);
  }
  return isSorted
    ? sql`${byMatch(list, search)} ${page}`
    : sql`${amongMatches(list, list.inOrder, search)} ${page}`;
}

type Found = { readonly counted: number; readonly numbers: string };

const NONE_FOUND: Found = { counted: 0, numbers: "[]" };

/**
 * The matches among the first rows of the list's order. Of the search index, only the range of these
 * rows' numbers is read, which is short if they lie close together.
 */
async function findAmongFirst(
  database: Database,
  list: List,
  { index, expression }: Search,
): Promise<Found> {
  const { seq, inOrder, where } = list;
  const [found] = await database.all(sql`
    WITH first AS MATERIALIZED (
      SELECT ${seq} AS seq FROM ${inOrder} WHERE ${all(where)}
      ORDER BY ${orderOf(list)} LIMIT ${FIRST_ROWS})
    SELECT count(*) AS counted, json_group_array(rowid) AS numbers FROM ${index}
    WHERE ${index} MATCH ${expression} AND +rowid IN (SELECT seq FROM first)
      AND rowid BETWEEN (SELECT min(seq) FROM first) AND (SELECT max(seq) FROM first)`);
  return { counted: Number(found?.counted), numbers: String(found?.numbers) };
}

/**
 * The first `end` matches, if they come before the range in which most matches lie: in the order of
 * names, the matches of one name are neighbours. The first thousand matches give the limits of this
 * range, and the index of the order gives the numbers of the rows in it. So only the rows of matches
 * outside it are read.
 */
async function findApart(
  database: Database,
  list: List,
  search: Search,
  { matches, numbers }: { readonly matches: number; readonly numbers: string },
  end: number,
): Promise<Found> {
  const { seq, inOrder, byNumber, where, direction } = list;
  const [column = seq] = list.sortedBy;
  const values = await database.all(sql`SELECT ${column} AS value
    FROM json_each(${numbers}) AS found CROSS JOIN ${byNumber}
    WHERE ${seq} = found.value AND ${all(where)} ORDER BY ${column}`);
  const from = values.at(STRAY_MATCHES)?.value ?? null;
  const until = values.at(-1 - STRAY_MATCHES)?.value ?? null;
  const together = sql`SELECT ${seq} AS seq FROM ${inOrder} WHERE ${column} BETWEEN ${from} AND ${until}`;
  const mostRows = Math.ceil(matches * 1.25);
  const more = await database.all(sql`${together} LIMIT 1 OFFSET ${mostRows}`);
  if (more.length > 0) return NONE_FOUND;
  const isBefore =
    direction === "asc" ? sql`ifnull(${column} < ${from}, TRUE)` : sql`${column} > ${until}`;
  const [found] = await database.all(sql`
    WITH apart AS MATERIALIZED (
      ${matchesOf(search)} EXCEPT ${together} LIMIT ${MAX_SORTED_MATCHES + 1})
    SELECT count(*) AS counted, json_group_array(seq) AS numbers FROM (
      SELECT ${seq} AS seq FROM apart CROSS JOIN ${byNumber}
      WHERE (SELECT count(*) FROM apart) <= ${MAX_SORTED_MATCHES}
        AND ${seq} = apart.rowid AND ${all(where)} AND ${isBefore}
      ORDER BY ${orderOf(list)} LIMIT ${end})`);
  return { counted: Number(found?.counted), numbers: String(found?.numbers) };
}

/** A page of the rows whose numbers are in a JSON array. */
function byNumbers(list: List, numbers: string, window: ListWindow): Statement {
  const { seq, byNumber, where } = list;
  return sql`SELECT ${seq} FROM json_each(${numbers}) AS found CROSS JOIN ${byNumber}
    WHERE ${seq} = found.value AND ${all(where)} ORDER BY ${orderOf(list)} ${limitTo(window)}`;
}

/** Reads the matches without their rows. */
function unfiltered({ index, expression }: Search): Statement {
  return sql`SELECT ${index}.rowid AS seq FROM ${index} WHERE ${index} MATCH ${expression}`;
}

/** Reads the row of each match. */
function byMatch({ seq, byNumber, where }: List, { index, expression }: Search): Statement {
  return sql`SELECT ${seq} AS seq FROM ${index} CROSS JOIN ${byNumber}
    WHERE ${seq} = ${index}.rowid AND ${index} MATCH ${expression} AND ${all(where)}`;
}

/**
 * Reads the rows of `tables` and looks each up among the matches, which are read once. The `+` keeps
 * SQLite from reading the rows in the order of the matches instead.
 */
function amongMatches({ seq, where }: List, tables: Statement, search: Search): Statement {
  return sql`SELECT ${seq} AS seq FROM ${tables}
    WHERE +${seq} IN (${matchesOf(search)}) AND ${all(where)}`;
}

/** The number of selected rows; above the limit of a search's total, the limit. */
export async function countCapped(database: Database, rows: Statement): Promise<ListTotal> {
  const [row] = await database.all(
    sql`SELECT count(*) AS counted FROM (SELECT 1 FROM (${rows}) LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})`,
  );
  return cappedTotal(Number(row?.counted));
}

function cappedTotal(counted: number): ListTotal {
  return {
    total: Math.min(counted, MAX_EXACT_SEARCH_TOTAL),
    totalIsCapped: counted > MAX_EXACT_SEARCH_TOTAL,
  };
}

const NO_ROWS = sql`SELECT NULL AS seq WHERE FALSE`;

function limitTo({ offset, limit }: ListWindow): Statement {
  return sql`LIMIT ${limit} OFFSET ${offset}`;
}

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
  { total, totalIsCapped }: ListTotal,
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

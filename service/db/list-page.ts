import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { Database, Statement } from "#service/platform.ts";
import type { SearchMatch } from "./search-match.ts";
import { all, sql } from "./sql.ts";

/**
 * Decides how one page of a list is read. The aim is a cost that depends on the page, not on the
 * table; performance notes and figures: docs/decisions/0035-lists-at-a-million-rows.md.
 *
 * Without a search the total is known from maintained counts, and the page is stepped to from the
 * nearer end of an index that is in the list's order.
 *
 * With a search the index counts the matches, up to a limit. Then the cheapest of three ways is
 * taken: read the index itself, which is in the order of creation; *gather* the matches and sort
 * them; or, when the matches are many, *walk* the list's order and test each row, which soon has
 * found a page.
 */

export type Direction = "asc" | "desc";

export type ListWindow = { readonly offset: number; readonly limit: number };

export type ListShape = {
  /** The table with its alias and, where the planner needs it, its index. */
  readonly from: Statement;
  /** The alias's number, e.g. `u.seq`. */
  readonly seq: Statement;
  /** Filters on the alias's columns. */
  readonly where: readonly Statement[];
  /** ORDER BY on the alias's columns, ending in its number. */
  readonly orderBy: (direction: Direction) => Statement;
  readonly direction: Direction;
};

export type SearchShape = {
  /** Null: nothing can match. */
  readonly match: SearchMatch | null;
  /** True when the list's order is that of creation, which the index has too. */
  readonly isIndexOrder: boolean;
  /** Filters that the index does not know; on the columns of `table`. */
  readonly rest: readonly Statement[];
  /** The table with its alias, without an index. */
  readonly table: Statement;
  /** Joins what else the order needs. */
  readonly join?: Statement;
  /** True when what was found is to be grouped, too. */
  readonly needsMatches?: boolean;
  /**
   * The search as a test of one row, for walking; null where only the index can tell, because SQL
   * folds the case of ASCII letters alone.
   */
  readonly test: Statement | null;
  /** True when the matches are likely to lie together in the list's order, and not evenly in it. */
  readonly isClustered?: boolean;
};

export type ListPage = {
  /** Selects the `seq` of the page's rows, in no order. Null: the page is empty. */
  readonly rows: Statement | null;
  readonly total: number;
  readonly totalIsCapped: boolean;
  /** Of a search that asked for them: selects the `seq` of the matches that were counted. */
  readonly matches?: Statement;
};

/** A page without a search; `total` is what the maintained counts say. */
export function plainPage(shape: ListShape, total: number, window: ListWindow): ListPage {
  const rest = total - window.offset;
  if (rest <= 0) return { rows: null, total, totalIsCapped: false };
  const limit = Math.min(window.limit, rest);
  const fromEnd = rest - limit;
  const isNearerToEnd = fromEnd < window.offset;
  const direction = isNearerToEnd ? opposite(shape.direction) : shape.direction;
  return {
    rows: sql`
      SELECT ${shape.seq} FROM ${shape.from} WHERE ${all(shape.where)}
      ORDER BY ${shape.orderBy(direction)}
      LIMIT ${limit} OFFSET ${isNearerToEnd ? fromEnd : window.offset}`,
    total,
    totalIsCapped: false,
  };
}

/** A page of a search. `candidates` is how many rows the filters alone leave. */
export async function searchPage(
  database: Database,
  shape: ListShape,
  search: SearchShape,
  candidates: number,
  window: ListWindow,
): Promise<ListPage> {
  const { match } = search;
  if (match === null || candidates === 0) return EMPTY;
  const found = await countMatches(database, match, search);
  if (search.rest.length === 0 && search.isIndexOrder)
    return indexPage(match, found, shape, window);

  const way = cheapestWay(search, found, candidates, window);
  const isMatch = way === "walk and test" ? (search.test ?? sql`TRUE`) : isAmong(shape, match);
  const rows =
    way !== "gather"
      ? sql`SELECT ${shape.seq} FROM ${shape.from} WHERE ${all([...shape.where, isMatch])}`
      : sql`SELECT ${shape.seq} FROM (${found.isWhole ? found.rows : match.rows}) AS matches
        CROSS JOIN ${search.table} ${search.join ?? sql``}
        WHERE ${shape.seq} = matches.rowid AND ${all(search.rest)}`;
  const counted = search.rest.length === 0 ? found.counted : await countUpTo(database, rows);
  return {
    rows: sql`${rows} ORDER BY ${shape.orderBy(shape.direction)}
      LIMIT ${window.limit} OFFSET ${window.offset}`,
    ...capped(counted),
    matches: search.rest.length === 0 ? sql`SELECT rowid AS seq FROM (${found.rows})` : rows,
  };
}

/** The plus keeps SQLite from walking the matches instead (sqlite.org/optoverview.html section 8). */
function isAmong({ seq }: ListShape, { rows }: SearchMatch): Statement {
  return sql`+${seq} IN (${rows})`;
}

const EMPTY: ListPage = { rows: null, total: 0, totalIsCapped: false };

/** The index is in the list's order; what has been listed need not be looked up again. */
function indexPage(
  match: SearchMatch,
  { rows, isWhole, counted }: Found,
  { direction }: ListShape,
  { limit, offset }: ListWindow,
): ListPage {
  return {
    rows: sql`${isWhole ? rows : match.rows} ORDER BY rowid ${inDirection(direction)}
      LIMIT ${limit} OFFSET ${offset}`,
    ...capped(counted),
  };
}

/** The same page as plain numbers, which can be kept; what it matched is not. */
export async function pinPage(
  database: Database,
  { rows, total, totalIsCapped }: ListPage,
): Promise<ListPage> {
  if (rows === null) return { rows, total, totalIsCapped };
  const numbers = (await database.all(rows)).map((row) => Number(Object.values(row)[0]));
  return { rows: listed(JSON.stringify(numbers)), total, totalIsCapped };
}

type Found = {
  /** Up to the limit and one more. */
  readonly counted: number;
  /** How many there are in all, if they are evenly spread. */
  readonly estimated: number;
  /** True when all were counted. */
  readonly isWhole: boolean;
  /** The numbers of those that were counted; of none when they are not all and nobody needs them. */
  readonly rows: Statement;
};

/** Oldest first, which is the index's own way and half as dear as the other. */
async function countMatches(
  database: Database,
  match: SearchMatch,
  { table, needsMatches = false }: SearchShape,
): Promise<Found> {
  const [row] = await database.all(sql`
    SELECT count(*) AS counted, max(rowid) AS reached, (SELECT max(seq) FROM ${table}) AS newest,
      CASE WHEN count(*) <= ${MAX_EXACT_SEARCH_TOTAL} OR ${needsMatches ? 1 : 0}
        THEN json_group_array(rowid) END AS matches
    FROM (${match.rows} LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})`);
  const counted = Number(row?.counted ?? 0);
  const isWhole = counted <= MAX_EXACT_SEARCH_TOTAL;
  const estimated = isWhole ? counted : (counted * Number(row?.newest)) / Number(row?.reached);
  return { counted, estimated, isWhole, rows: listed(String(row?.matches ?? "[]")) };
}

function listed(jsonNumbers: string): Statement {
  return sql`SELECT value AS rowid FROM json_each(${jsonNumbers})`;
}

/** Testing so many rows takes some 20 ms, which is what a badly judged walk may cost. */
const FEW_CANDIDATES = 20_000;

/** Reading and testing a row takes as long as noting some ten matches' numbers. */
const NOTES_A_TEST = 10;

/**
 * Gathering reads every match; walking tests rows until the page is full, or all candidates when
 * filters that the index does not know leave the total to be counted. Among many candidates few
 * matches are gathered: that has a bound, whereas they may all lie at the far end of the order.
 *
 * A walk that is long, or may turn out to be, notes all matches' numbers first: then it need not
 * leave the order's index to test a row.
 */
function cheapestWay(
  search: SearchShape,
  found: Found,
  candidates: number,
  window: ListWindow,
): "gather" | "walk and test" | "walk and look up" {
  if (search.test === null) return "gather";
  if (found.isWhole && candidates > FEW_CANDIDATES) return "gather";
  const tested =
    search.rest.length > 0
      ? candidates
      : ((window.offset + window.limit) * candidates) / found.estimated;
  if (tested >= found.estimated) return "gather";
  const isLong = search.isClustered === true || tested * NOTES_A_TEST > found.estimated;
  return isLong && search.rest.length === 0 && !found.isWhole
    ? "walk and look up"
    : "walk and test";
}

/** Up to the limit of a search's total and one more. */
export async function countUpTo(database: Database, rows: Statement): Promise<number> {
  const [row] = await database.all(
    sql`SELECT count(*) AS counted FROM (${rows} LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})`,
  );
  return Number(row?.counted ?? 0);
}

/** A count that was stopped at the limit, as a list tells it. */
export function capped(counted: number): Pick<ListPage, "total" | "totalIsCapped"> {
  return {
    total: Math.min(counted, MAX_EXACT_SEARCH_TOTAL),
    totalIsCapped: counted > MAX_EXACT_SEARCH_TOTAL,
  };
}

function opposite(direction: Direction): Direction {
  return direction === "asc" ? "desc" : "asc";
}

/** The direction as a word of SQL. */
export function inDirection(direction: Direction): Statement {
  return { sql: direction, values: [] };
}

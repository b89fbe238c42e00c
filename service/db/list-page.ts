import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import * as z from "zod/mini";
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
 * With a search the index counts the matches, up to a limit. In the order of creation the page is
 * read from the index itself. In another order its first rows are *tested*, when so few of them
 * would hold the page if the matches lay evenly in it. Where that is not enough, few matches are
 * *gathered* and sorted; the numbers of many are noted, and the order is *walked* looking each up.
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
  const found =
    (await fewMatches(database, shape, match, search)) ??
    (await countMatches(database, match, search));
  if (search.rest.length === 0 && search.isIndexOrder)
    return indexPage(match, found, shape, window);

  const matches = sql`SELECT rowid AS seq FROM (${listed(found.matches)})`;
  const tests = testsFor(search, found, candidates, window);
  if (tests !== null) {
    const near = await nearPage(database, shape, search, tests, window);
    if (near !== null) return { rows: near, ...capped(found.counted), matches };
  }
  const rows = matchingRows(shape, search, match, found, {
    candidates,
    isClustered: tests !== null,
  });
  const counted = search.rest.length === 0 ? found.counted : await countUpTo(database, rows);
  return {
    rows: sql`${rows} ORDER BY ${shape.orderBy(shape.direction)}
      LIMIT ${window.limit} OFFSET ${window.offset}`,
    ...capped(counted),
    matches: search.rest.length === 0 ? matches : rows,
  };
}

/** Testing a row that lies anywhere takes 2 µs: what a page may cost in vain, and at most. */
const FEW_TESTS = 5_000;
const MOST_TESTS = 20_000;

/** Noting a match and looking it up takes a tenth of a test, gathering it about as long. */
const TESTS_A_NOTE = 1 / 10;
const TESTS_A_GATHERED = 1 / 2;

/**
 * How many rows of the order are worth testing for a page: six times the spread more than it would
 * take on average, and a tenth, because the matches are only estimated. Null when another way is
 * cheaper.
 */
function testsFor(
  { test, rest }: SearchShape,
  { estimated, isWhole }: Found,
  candidates: number,
  { offset, limit }: ListWindow,
): number | null {
  if (test === null || rest.length > 0) return null;
  const wanted = offset + limit;
  const tests = Math.ceil((1.1 * (wanted + 6 * Math.sqrt(wanted)) * candidates) / estimated);
  const most = isWhole
    ? estimated * TESTS_A_GATHERED
    : Math.min(MOST_TESTS, Math.max(FEW_TESTS, estimated * TESTS_A_NOTE));
  return tests <= most ? tests : null;
}

/** The page, when the first rows of the order hold it already; null when the matches lie further on. */
async function nearPage(
  database: Database,
  shape: ListShape,
  { test, table, join = sql`` }: SearchShape,
  tests: number,
  { offset, limit }: ListWindow,
): Promise<Statement | null> {
  const found = await database.all(sql`
    SELECT ${shape.seq} AS seq FROM (
      SELECT ${shape.seq} AS near FROM ${shape.from} WHERE ${all(shape.where)}
      ORDER BY ${shape.orderBy(shape.direction)} LIMIT ${tests})
    CROSS JOIN ${table} ${join} WHERE ${shape.seq} = near AND ${test ?? sql`TRUE`}
    ORDER BY ${shape.orderBy(shape.direction)} LIMIT ${limit} OFFSET ${offset}`);
  return found.length < limit ? null : listed(JSON.stringify(found.map(({ seq }) => seq)));
}

/** Gathering a match takes as long as looking up so many rows. */
const LOOK_UPS_A_MATCH = 8;

/**
 * Selects the `seq` of all rows that match. Gathering reads each match; looking up notes the
 * matches' numbers and need not leave the order's index, but has far to go when the matches lie
 * together; a few candidates that other filters leave are tested one by one.
 */
function matchingRows(
  shape: ListShape,
  { rest, test, table, join = sql`` }: SearchShape,
  match: SearchMatch,
  found: Found,
  { candidates, isClustered }: { candidates: number; isClustered: boolean },
): Statement {
  const walk = sql`SELECT ${shape.seq} FROM ${shape.from} WHERE ${all(shape.where)}`;
  if (rest.length > 0 && test !== null && candidates <= Math.min(FEW_TESTS, found.estimated))
    return sql`${walk} AND ${test}`;
  return found.isWhole || (isClustered && found.estimated * LOOK_UPS_A_MATCH < candidates)
    ? sql`SELECT ${shape.seq} FROM (${found.isWhole ? listed(found.matches) : match.rows}) AS matches CROSS JOIN ${table} ${join}
        WHERE ${shape.seq} = matches.rowid AND ${all(rest)}`
    : sql`${walk} AND ${isAmong(shape, match)}`;
}

/** The plus keeps SQLite from walking the matches instead (sqlite.org/optoverview.html section 8). */
function isAmong({ seq }: ListShape, { rows }: SearchMatch): Statement {
  return sql`+${seq} IN (${rows})`;
}

const EMPTY: ListPage = { rows: null, total: 0, totalIsCapped: false };

/** The index is in the list's order; what has been listed need not be looked up again. */
function indexPage(
  match: SearchMatch,
  { matches, isWhole, counted }: Found,
  { direction }: ListShape,
  { limit, offset }: ListWindow,
): ListPage {
  if (!isWhole) {
    const ordered = sql`${match.rows} ORDER BY rowid ${inDirection(direction)}`;
    return { rows: sql`${ordered} LIMIT ${limit} OFFSET ${offset}`, ...capped(counted) };
  }
  const numbers = matchesSchema.parse(JSON.parse(matches));
  numbers.sort(direction === "asc" ? (left, right) => left - right : (left, right) => right - left);
  const page = numbers.slice(offset, offset + limit);
  return { rows: page.length === 0 ? null : listed(JSON.stringify(page)), ...capped(counted) };
}

const matchesSchema = z.array(z.number());

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
  /** JSON of the numbers of those that were counted; of none when they are not all and nobody needs them. */
  readonly matches: string;
};

/** So many rows are tested in less than half a millisecond. */
const FEW_SUSPECTS = 200;

/** All matches, when few rows are even suspected; null when there are more, or none can be tested. */
async function fewMatches(
  database: Database,
  { seq }: ListShape,
  { suspects }: SearchMatch,
  { test, table, join = sql`` }: SearchShape,
): Promise<Found | null> {
  if (suspects === null || test === null) return null;
  const [row] = await database.all(sql`
    SELECT count(*) AS suspected, count(*) FILTER (WHERE ${test}) AS counted,
      json_group_array(${seq}) FILTER (WHERE ${test}) AS matches
    FROM (${suspects} LIMIT ${FEW_SUSPECTS + 1}) AS suspects CROSS JOIN ${table} ${join}
    WHERE ${seq} = suspects.rowid`);
  if (Number(row?.suspected) > FEW_SUSPECTS) return null;
  const counted = Number(row?.counted);
  return { counted, estimated: counted, isWhole: true, matches: String(row?.matches) };
}

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
  return { counted, estimated, isWhole, matches: String(row?.matches ?? "[]") };
}

function listed(jsonNumbers: string): Statement {
  return sql`SELECT value AS rowid FROM json_each(${jsonNumbers})`;
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

import * as z from "zod/mini";
import type { Database, Statement } from "#service/ports/database.ts";
import { capped, countUpTo } from "./capped-total.ts";
import { findMatches, listed, type FoundMatches } from "./found-matches.ts";
import {
  inDirection,
  type Direction,
  type ListPage,
  type ListShape,
  type ListWindow,
  type SearchShape,
} from "./list-shape.ts";
import type { SearchMatch } from "./search-match.ts";
import { all, sql } from "./sql.ts";

/**
 * Decides how one page of a list is read. The cost should depend on the page, not on the table;
 * figures are in docs/decisions/0035-lists-at-a-million-rows.md.
 *
 * Without a search, the total comes from maintained counts, and the page is read with OFFSET from
 * the nearer end of an index in the list's order.
 *
 * With a search, the full-text index counts the matches, up to a limit. In order of creation, the
 * page is read from that index. For other orders, the first rows are *tested* if matches are likely
 * dense enough to fill the page. Otherwise, few matches are *gathered* and sorted; for many, the
 * order is *walked* and each row looked up in the set of matches.
 */

/** A page without a search; `total` comes from the maintained counts. */
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

/** A page of a search. `candidates` is the number of rows that pass the filters alone. */
export async function searchPage(
  database: Database,
  shape: ListShape,
  search: SearchShape,
  candidates: number,
  window: ListWindow,
): Promise<ListPage> {
  const { match } = search;
  if (match === null || candidates === 0) return EMPTY;
  const found = await findMatches(database, shape, match, search);
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

/** Testing a row costs 2 µs. Up to FEW_TESTS may be wasted on a page; MOST_TESTS is the maximum. */
const FEW_TESTS = 5_000;
const MOST_TESTS = 20_000;

/** Costs in tests: walking notes and looks up a match for a tenth, gathering takes half a test. */
const TESTS_A_NOTE = 1 / 10;
const TESTS_A_GATHERED = 1 / 2;

/**
 * How many rows of the order to test for a page, or null when another way is cheaper. The number
 * allows for six standard deviations above the average, and a tenth more because the number of
 * matches is only estimated.
 */
function testsFor(
  { test, rest }: SearchShape,
  { estimated, isWhole }: FoundMatches,
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

/** The page, if the first rows of the order contain it; null if the matches are further on. */
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

/** Gathering one match costs as much as this many lookups. */
const LOOK_UPS_A_MATCH = 8;

/**
 * Selects the `seq` of all matching rows. Gathering reads each match. Walking uses only the order's
 * index and a set of match numbers, but reads far when matches are clustered. If other filters
 * leave few candidates, those are tested one by one.
 */
function matchingRows(
  shape: ListShape,
  { rest, test, table, join = sql`` }: SearchShape,
  match: SearchMatch,
  found: FoundMatches,
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

/**
 * The plus keeps SQLite from iterating over the matches instead (sqlite.org/optoverview.html
 * section 8).
 */
function isAmong({ seq }: ListShape, { rows }: SearchMatch): Statement {
  return sql`+${seq} IN (${rows})`;
}

const EMPTY: ListPage = { rows: null, total: 0, totalIsCapped: false };

/** The full-text index is in the list's order; matches that were already listed are reused. */
function indexPage(
  match: SearchMatch,
  { matches, isWhole, counted }: FoundMatches,
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

/** The same page as plain numbers, which can be cached; drops `matches`. */
export async function pinPage(
  database: Database,
  { rows, total, totalIsCapped }: ListPage,
): Promise<ListPage> {
  if (rows === null) return { rows, total, totalIsCapped };
  const numbers = (await database.all(rows)).map((row) => Number(Object.values(row)[0]));
  return { rows: listed(JSON.stringify(numbers)), total, totalIsCapped };
}

function opposite(direction: Direction): Direction {
  return direction === "asc" ? "desc" : "asc";
}

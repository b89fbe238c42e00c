import type { Statement } from "#service/ports/database.ts";
import type { SearchMatch } from "./search-match.ts";

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

/** The direction as a word of SQL. */
export function inDirection(direction: Direction): Statement {
  return { sql: direction, values: [] };
}

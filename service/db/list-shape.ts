import type { Statement } from "#service/ports/database.ts";
import type { SearchMatch } from "./search-match.ts";

export type Direction = "asc" | "desc";

export type ListWindow = { readonly offset: number; readonly limit: number };

export type ListShape = {
  /** The table with its alias and, where the planner needs it, its index. */
  readonly from: Statement;
  /** The row number, e.g. `u.seq`. */
  readonly seq: Statement;
  /** Filters on the alias's columns. */
  readonly where: readonly Statement[];
  /** ORDER BY on the alias's columns, ending in its row number. */
  readonly orderBy: (direction: Direction) => Statement;
  readonly direction: Direction;
};

export type SearchShape = {
  /** Null if nothing can match. */
  readonly match: SearchMatch | null;
  /** True when the list is in order of creation, which is the full-text index's order too. */
  readonly isIndexOrder: boolean;
  /** Filters outside the full-text index, on the columns of `table`. */
  readonly rest: readonly Statement[];
  /** The table with its alias, without an index. */
  readonly table: Statement;
  /** Joins the tables that the order needs. */
  readonly join?: Statement;
  /** True when the matches are to be grouped as well. */
  readonly needsMatches?: boolean;
  /**
   * The search as a condition on one row. Null where only the index can decide, because SQL folds
   * the case of ASCII letters only.
   */
  readonly test: Statement | null;
};

export type ListPage = {
  /** Selects the `seq` of the page's rows, unordered. Null if the page is empty. */
  readonly rows: Statement | null;
  readonly total: number;
  readonly totalIsCapped: boolean;
  /** If the search asked for them: selects the `seq` of the counted matches. */
  readonly matches?: Statement;
};

/** The direction as an SQL keyword. */
export function inDirection(direction: Direction): Statement {
  return { sql: direction, values: [] };
}

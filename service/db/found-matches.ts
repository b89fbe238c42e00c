import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { ListShape, SearchShape } from "./list-shape.ts";
import type { SearchMatch } from "./search-match.ts";
import { sql } from "./sql.ts";

/** What is known about a search's matches before a page is read. */
export type FoundMatches = {
  /** Counting stops one above the limit. */
  readonly counted: number;
  /** The total, extrapolated on the assumption of an even distribution. */
  readonly estimated: number;
  /** True when all were counted. */
  readonly isWhole: boolean;
  /**
   * JSON array of the counted rows' numbers; empty if the count was cut off and no caller needs
   * them.
   */
  readonly matches: string;
};

/** Counts the matches of `match`, up to the limit of a search's total plus one. */
export async function findMatches(
  database: Database,
  shape: ListShape,
  match: SearchMatch,
  search: SearchShape,
): Promise<FoundMatches> {
  return (
    (await fewMatches(database, shape, match, search)) ??
    (await countMatches(database, match, search))
  );
}

/** Testing this many rows takes less than half a millisecond. */
const FEW_SUSPECTS = 200;

/** All matches, if there are few candidates; null if there are more, or rows cannot be tested. */
async function fewMatches(
  database: Database,
  { seq }: ListShape,
  { suspects }: SearchMatch,
  { test, table }: SearchShape,
): Promise<FoundMatches | null> {
  if (suspects === null || test === null) return null;
  const [row] = await database.all(sql`
    SELECT count(*) AS suspected, count(*) FILTER (WHERE ${test}) AS counted,
      json_group_array(${seq}) FILTER (WHERE ${test}) AS matches
    FROM (${suspects} LIMIT ${FEW_SUSPECTS + 1}) AS suspects CROSS JOIN ${table}
    WHERE ${seq} = suspects.rowid`);
  if (Number(row?.suspected) > FEW_SUSPECTS) return null;
  const counted = Number(row?.counted);
  return { counted, estimated: counted, isWhole: true, matches: String(row?.matches) };
}

/** Oldest first, the index's native order and half the cost of the reverse. */
async function countMatches(
  database: Database,
  match: SearchMatch,
  { table, needsMatches = false }: SearchShape,
): Promise<FoundMatches> {
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

/** The rows of a JSON array of numbers, as `rowid`. */
export function listed(jsonNumbers: string): Statement {
  return sql`SELECT value AS rowid FROM json_each(${jsonNumbers})`;
}

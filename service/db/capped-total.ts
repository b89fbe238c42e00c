import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { ListPage } from "./list-shape.ts";
import { sql } from "./sql.ts";

/** Counts up to the limit of a search's total plus one. */
export async function countUpTo(database: Database, rows: Statement): Promise<number> {
  const [row] = await database.all(
    sql`SELECT count(*) AS counted FROM (${rows} LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})`,
  );
  return Number(row?.counted ?? 0);
}

/** The total of a list, from a count that stopped after the limit. */
export function capped(counted: number): Pick<ListPage, "total" | "totalIsCapped"> {
  return {
    total: Math.min(counted, MAX_EXACT_SEARCH_TOTAL),
    totalIsCapped: counted > MAX_EXACT_SEARCH_TOTAL,
  };
}

import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { ListPage } from "./list-shape.ts";
import { sql } from "./sql.ts";

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

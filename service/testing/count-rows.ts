import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/** How many rows there are in `from`: a table, and what restricts its rows. */
export async function countRows(database: Database, from: Statement): Promise<number> {
  const [row] = await database.all(sql`SELECT count(*) AS n FROM ${from}`);
  return Number(row?.n);
}

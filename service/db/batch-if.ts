import type { Database, RunResult, Statement, WriteOptions } from "#service/ports/database.ts";
import { sql } from "./sql.ts";

/**
 * Runs a batch that takes effect only if `condition` holds when it begins. Returns null if it does
 * not: then no row has changed. The statements therefore need no guards of their own.
 */
export async function batchIf(
  database: Database,
  condition: Statement,
  statements: readonly Statement[],
  options?: WriteOptions,
): Promise<readonly RunResult[] | null> {
  try {
    const [, ...results] = await database.batch([requirement(condition), ...statements], options);
    return results;
  } catch (error) {
    if (error instanceof Error && error.message.includes(VIOLATION)) return null;
    throw error;
  }
}

/**
 * A statement that rolls its batch back unless `condition` holds. For the statements of
 * {@link batchIf}, which then returns null.
 *
 * The only transaction of the port is a batch, and only a failing statement stops one. This one fails
 * with a JSON path that is none, which SQLite names.
 */
export function requirement(condition: Statement): Statement {
  return sql`SELECT CASE WHEN ${condition} THEN 1 ELSE json_extract('{}', ${VIOLATION}) END`;
}

const VIOLATION = "batch requirement is not met";

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
 * The only transaction of the port is a batch, and only a failing statement stops one. This one
 * violates the constraint of a table that never has rows.
 */
export function requirement(condition: Statement): Statement {
  return sql`INSERT INTO batch_requirements (is_met) SELECT 0 WHERE (${condition}) IS NOT TRUE`;
}

/** Never has rows. */
export const BATCH_REQUIREMENTS_TABLE = `CREATE TABLE batch_requirements (
  is_met INTEGER PRIMARY KEY CONSTRAINT batch_requirement_is_met CHECK (is_met)
)`;

/** SQLite names the violated constraint. */
const VIOLATION = "CHECK constraint failed: batch_requirement_is_met";

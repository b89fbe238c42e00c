import * as z from "zod/mini";
import { batchIf } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { ruleConflict } from "./rule.ts";

const textRow = z.object({ text: z.nullable(z.string()) });

/**
 * Remembers the text of a rule, which `saved` selects, before it is checked. The returned function
 * runs a batch only if the rule is still the same, so that of two simultaneous changes one is refused.
 * @throws {ApiError} conflict, from that function
 */
export async function guardRule(
  database: Database,
  saved: Statement,
): Promise<(statements: readonly Statement[]) => Promise<void>> {
  const [row] = await database.all(sql`SELECT ${saved} AS text`);
  const { text } = textRow.parse(row);
  return async (statements) => {
    const results = await batchIf(database, sql`${saved} IS ${text}`, statements);
    if (results === null) throw ruleConflict();
  };
}

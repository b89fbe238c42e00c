import type { Statement } from "#service/ports/database.ts";
import { sql } from "./sql.ts";

/** No wait is longer than a day (source/retry-after.ts, manual-uploads/lease.ts). */
export const LONGEST_WAIT_MS = 25 * 3_600_000;

/** Marks a row that never becomes due, such as those of seeded data. */
export const NEVER_MS = Date.UTC(2100, 0, 1);

/**
 * SQL condition: the time in `column` has come. A time further ahead than any wait was written
 * while the machine's clock was wrong and counts as come, too; doing something early is harmless.
 */
export function isPast(
  column: Statement,
  nowMs: number,
  longestWaitMs: number | Statement = LONGEST_WAIT_MS,
): Statement {
  return sql`(${column} <= ${nowMs}
    OR (${column} > ${nowMs} + ${longestWaitMs} AND ${column} < ${NEVER_MS}))`;
}

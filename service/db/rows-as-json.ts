import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/** D1 holds 2 MB in a text. A row must not take more than 1 kB. */
const ROWS_PER_TEXT = 2_000;

/**
 * Common table expressions of a query that reads many rows of few owners as JSON, because few long rows
 * are read much faster than many short ones. `part` divides the rows of each owner into texts that D1 can
 * hold; `counts` selects as `n` how many rows each owner has.
 */
export function parts(counts: Statement): Statement {
  const texts = sql`CAST(ifnull(max(n), 0) / ${ROWS_PER_TEXT} + 1 AS INTEGER)`;
  return sql`parted AS MATERIALIZED (SELECT ${texts} AS texts FROM (${counts})),
    part (number) AS (SELECT 0 UNION ALL
      SELECT number + 1 FROM part, parted WHERE number + 1 < texts)`;
}

/** Condition: the row with this `seq` belongs to the text of this `part`. */
export function isInPart(seq: Statement): Statement {
  return sql`${seq} % (SELECT texts FROM parted) = part.number`;
}

/** A column with an array of rows, which are not validated: there may be 100,000. */
export function rowsAsJson<Row>() {
  return z.pipe(
    z.string(),
    z.transform((text): readonly Row[] => JSON.parse(text)),
  );
}

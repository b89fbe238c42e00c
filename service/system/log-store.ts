import * as z from "zod/mini";
import type { QueryOf } from "#contract/call.ts";
import { logEntrySchema, type LogEntry, type systemLogs } from "#contract/system.ts";
import { instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { searchTerm } from "#service/db/search.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

/**
 * The `logs` table. The host's log sink writes it after secrets were masked; this module reads and
 * prunes it.
 */

const logRow = z.extend(logEntrySchema, {
  timestamp: instantColumn,
  meta: z.nullable(jsonText(logEntrySchema.shape.meta)),
});

/** The newest entries of one level, newest first. */
export async function readLogs(
  database: Database,
  query: QueryOf<typeof systemLogs>,
): Promise<LogEntry[]> {
  const term = searchTerm(query.search);
  const rows = await database.all(sql`
    SELECT CAST(seq AS TEXT) AS id, level, at AS timestamp, message, meta FROM logs WHERE ${all([
      sql`level = ${query.level}`,
      ...(query.before === undefined ? [] : [sql`seq < ${Number(query.before)}`]),
      // SQL folds both sides, ASCII letters only; folding the term here as well would never match
      // an É.
      ...(term === null
        ? []
        : [
            sql`(instr(lower(message), lower(${term})) > 0
              OR instr(lower(coalesce(meta, '')), lower(${writtenInJson(term)})) > 0)`,
          ]),
    ])}
    ORDER BY seq DESC LIMIT ${query.limit}`);
  return rows.map((row) => logRow.parse(row));
}

/** The text as it appears inside a JSON string, with quotes and backslashes escaped. */
function writtenInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Bounds a search, which reads all rows in some 50 ms. */
const MAX_LOGS = 100_000;

const MAX_LOG_AGE_MS = 30 * 86_400_000;

/** Rows deleted per statement, so that writers do not wait long. */
const DELETED_AT_ONCE = 5_000;

/** Deletes the oldest entries above the limits of number and age. */
export async function pruneLogs(database: Database, nowMs: number): Promise<void> {
  // The oldest entry to keep ends the reading, so that pruning costs as much as it deletes.
  const firstKept = sql`SELECT seq FROM logs
    WHERE at >= ${nowMs - MAX_LOG_AGE_MS} AND seq > (SELECT max(seq) FROM logs) - ${MAX_LOGS}
    ORDER BY seq LIMIT 1`;
  for (;;) {
    const { changes } = await database.run(sql`
      DELETE FROM logs WHERE seq IN (
        SELECT seq FROM logs WHERE seq < coalesce((${firstKept}), ${Number.MAX_SAFE_INTEGER})
        ORDER BY seq LIMIT ${DELETED_AT_ONCE})`);
    if (changes === 0) return;
  }
}

import * as z from "zod/mini";
import type { QueryOf } from "#contract/call.ts";
import { logLevelSchema, type LogEntry, type systemLogs } from "#contract/system.ts";
import { jsonText } from "#service/db/json-text.ts";
import { searchTerm } from "#service/db/search-match.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

/**
 * The `logs` table: written by the host's log sink, with secrets masked before it; read and kept
 * within bounds here.
 */

const logRow = z.object({
  seq: z.number(),
  level: logLevelSchema,
  at: z.number(),
  message: z.string(),
  meta: z.nullable(jsonText(z.record(z.string(), z.unknown()))),
});

/** The newest entries of one level, newest first. */
export async function readLogs(
  database: Database,
  query: QueryOf<typeof systemLogs>,
): Promise<LogEntry[]> {
  const term = searchTerm(query.search);
  const rows = await database.all(sql`
    SELECT seq, level, at, message, meta FROM logs WHERE ${all([
      sql`level = ${query.level}`,
      ...(query.before === undefined ? [] : [sql`seq < ${Number(query.before)}`]),
      // Folded by SQL on both sides, which knows the letters of ASCII: else no text would hold an É.
      ...(term === null
        ? []
        : [
            sql`(instr(lower(message), lower(${term})) > 0
              OR instr(lower(coalesce(meta, '')), lower(${writtenInJson(term)})) > 0)`,
          ]),
    ])}
    ORDER BY seq DESC LIMIT ${query.limit}`);
  return rows.map((row) => {
    const { seq, level, at, message, meta } = logRow.parse(row);
    return { id: String(seq), level, timestamp: new Date(at).toISOString(), message, meta };
  });
}

/** As the text stands within a string of the metadata, its quotes and backslashes escaped. */
function writtenInJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A search reads at most this many rows, which takes some 50 ms. */
const MAX_LOGS = 100_000;

const MAX_LOG_AGE_MS = 30 * 86_400_000;

/** Rows deleted by one statement, so that no writer waits long. */
const DELETED_AT_ONCE = 5_000;

/** Deletes the oldest entries beyond the bounds of number and age. */
export async function pruneLogs(database: Database, nowMs: number): Promise<void> {
  for (;;) {
    const { changes } = await database.run(sql`
      DELETE FROM logs WHERE seq IN (
        SELECT seq FROM logs
        WHERE seq <= (SELECT max(seq) FROM logs) - ${MAX_LOGS} OR at < ${nowMs - MAX_LOG_AGE_MS}
        ORDER BY seq LIMIT ${DELETED_AT_ONCE})`);
    if (changes === 0) return;
  }
}

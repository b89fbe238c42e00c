import type { Database, Row, RowUsage, RunResult, SqlValue, Statement } from "#service/platform.ts";

/**
 * Cloudflare repeats failed reads and never writes, since it cannot know whether they took effect.
 * These messages tell of a database that was moved or restarted; a read is then simply asked again
 * (developers.cloudflare.com/d1/best-practices/retry-queries). Writes are left to callers, who know
 * which of theirs may be repeated.
 */
const MOVED =
  /Network connection lost|storage caused object to be reset|reset because its code was updated/;

/** The relational database as D1. `batch()` is its only transaction. */
export function openD1Database(d1: D1Database): Database {
  const listeners: ((usage: RowUsage) => void)[] = [];
  let sizeBytes: number | null = null;

  function prepare({ sql, values }: Statement): D1PreparedStatement {
    return values.length === 0 ? d1.prepare(sql) : d1.prepare(sql).bind(...values);
  }

  function readResult({ sql }: Statement, { results, meta }: D1Result<D1Row>): RunResult {
    sizeBytes = meta.size_after;
    for (const listener of listeners)
      listener({ rowsRead: meta.rows_read, rowsWritten: meta.rows_written });
    const rows = results.map(readRow);
    // Each changed row comes back exactly once.
    return { changes: RETURNING.test(sql) ? rows.length : meta.changes, rows };
  }

  async function run(statement: Statement): Promise<RunResult> {
    return readResult(statement, await prepare(statement).run<D1Row>());
  }

  return {
    async all(statement) {
      try {
        return (await run(statement)).rows;
      } catch (error) {
        if (!(error instanceof Error && MOVED.test(error.message))) throw error;
        return (await run(statement)).rows;
      }
    },
    run,
    async batch(statements) {
      if (statements.length === 0) return [];
      const results = await d1.batch<D1Row>(statements.map(prepare));
      return statements.map((statement, index) => {
        const result = results[index];
        if (result === undefined) throw new Error("D1 answered fewer statements than were sent");
        return readResult(statement, result);
      });
    },
    onUsage(listener) {
      listeners.push(listener);
    },
    async sizeBytes() {
      // Each answer tells the size; before the first one the question itself brings it.
      if (sizeBytes === null) await run({ sql: "SELECT 1", values: [] });
      return sizeBytes ?? 0;
    },
  };
}

const RETURNING = /\breturning\b/i;

/** D1 gives bytes back as a list of numbers. */
type D1Row = Record<string, string | number | null | number[]>;

function readRow(columns: D1Row): Row {
  const row: Record<string, SqlValue> = {};
  for (const [name, value] of Object.entries(columns))
    row[name] = Array.isArray(value) ? Uint8Array.from(value) : value;
  return row;
}

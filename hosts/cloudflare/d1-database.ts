import {
  DatabaseError,
  type Database,
  type DatabaseErrorKind,
  type Row,
  type RowUsage,
  type RunResult,
  type SqlValue,
  type Statement,
} from "#service/ports/database.ts";

/**
 * What an error of D1 means (developers.cloudflare.com/d1/observability/debug-d1): the first line
 * that matches its message, or the last. D1 names SQLite's code of a statement that is at fault, and
 * its own where values are.
 *
 * Cloudflare retries failed reads but not writes, since a write may have taken effect. Reads are
 * repeated here once, unless that would load the database even more. Writes are left to callers, who
 * know which are safe to repeat.
 */
const MEANINGS: readonly (readonly [
  pattern: RegExp,
  meaning: DatabaseErrorKind | "statement",
  isRepeated?: true,
])[] = [
  [/Exceeded maximum DB size|maximum account storage/, "full"],
  [/SQLITE_(?!BUSY|LOCKED|NOMEM|IOERR|FULL|INTERRUPT)|D1_(?:TYPE|COLUMN)/, "statement"],
  [/overloaded|exceeded timeout|CPU time limit/, "unavailable"],
  // Moved, reset, restarted, "internal error", a transient issue.
  [/(?:)/, "unavailable", true],
];

/** @throws {DatabaseError} for an outage */
async function naming<Result>(work: () => Promise<Result>, mayRepeat = false): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof TypeError) throw error;
    const { message } = error;
    const [, meaning, isRepeated] = MEANINGS.find(([pattern]) => pattern.test(message)) ?? [];
    if (mayRepeat && isRepeated === true) return await naming(work);
    if (meaning === undefined || meaning === "statement") throw error;
    throw new DatabaseError(meaning, message, { cause: error });
  }
}

/** The relational database on D1. `batch()` is its only transaction. */
export function openD1Database(d1: D1Database): Database {
  const listeners: ((usage: RowUsage) => void)[] = [];
  const changed = d1.prepare("SELECT changes() AS changed");
  let sizeBytes: number | null = null;

  function prepare({ sql, values }: Statement): D1PreparedStatement {
    return values.length === 0 ? d1.prepare(sql) : d1.prepare(sql).bind(...values);
  }

  function readRows({ results, meta }: D1Result<D1Row>): readonly Row[] {
    sizeBytes = meta.size_after;
    for (const listener of listeners)
      listener({ rowsRead: meta.rows_read, rowsWritten: meta.rows_written });
    return results.map(readRow);
  }

  /**
   * D1's own change count includes changes made by triggers. Each change is therefore followed by a
   * query for SQLite's count, which excludes them.
   */
  async function batch(statements: readonly Statement[]): Promise<readonly RunResult[]> {
    if (statements.length === 0) return [];
    const sent = statements.flatMap((statement) =>
      isSilentChange(statement) ? [prepare(statement), changed] : [prepare(statement)],
    );
    const answers = (await d1.batch<D1Row>(sent)).map(readRows).values();
    return statements.map((statement) => {
      const rows = answers.next().value ?? [];
      if (isSilentChange(statement))
        return { changes: Number(answers.next().value?.[0]?.changed ?? 0), rows };
      // Each changed row comes back exactly once.
      return { changes: RETURNING.test(statement.sql) ? rows.length : 0, rows };
    });
  }

  async function run(statement: Statement): Promise<RunResult> {
    if (isSilentChange(statement)) {
      const [result] = await batch([statement]);
      return result ?? { changes: 0, rows: [] };
    }
    const rows = readRows(await prepare(statement).run<D1Row>());
    return { changes: RETURNING.test(statement.sql) ? rows.length : 0, rows };
  }

  return {
    all: (statement) => naming(async () => readRows(await prepare(statement).run<D1Row>()), true),
    run: (statement) => naming(() => run(statement)),
    batch: (statements) => naming(() => batch(statements)),
    onUsage(listener) {
      listeners.push(listener);
    },
    async sizeBytes() {
      // Every response includes the size; query once if there was none yet.
      if (sizeBytes === null) await run({ sql: "SELECT 1", values: [] });
      return sizeBytes ?? 0;
    },
  };
}

const RETURNING = /\breturning\b/i;
const CHANGE = /^\s*(?:insert|update|delete|replace|with)\b/i;

/** Whether a statement changes rows without returning them. */
function isSilentChange({ sql }: Statement): boolean {
  return CHANGE.test(sql) && !RETURNING.test(sql);
}

/** D1 returns blobs as arrays of numbers. */
type D1Row = Record<string, string | number | null | number[]>;

function readRow(columns: D1Row): Row {
  const row: Record<string, SqlValue> = {};
  for (const [name, value] of Object.entries(columns))
    row[name] = Array.isArray(value) ? Uint8Array.from(value) : value;
  return row;
}

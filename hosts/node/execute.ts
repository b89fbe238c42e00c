import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { Row, RunResult, SqlValue, Statement } from "#service/ports/database.ts";

/** Distinct statements kept prepared; the service has about two hundred. */
const MAX_PREPARED = 512;

type Prepared = {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
  readonly returning: boolean;
};

/** Returns a function that runs statements on the connection and keeps them prepared. */
export function createExecute(connection: DatabaseSync): (statement: Statement) => RunResult {
  const prepared = new Map<string, Prepared>();

  function prepare(text: string): Prepared {
    const known = prepared.get(text);
    if (known !== undefined) {
      // Moved to the end: the map is in order of last use.
      prepared.delete(text);
      prepared.set(text, known);
      return known;
    }
    const statement = connection.prepare(text);
    const entry = {
      statement,
      returnsRows: statement.columns().length > 0,
      returning: /\breturning\b/i.test(text),
    };
    prepared.set(text, entry);
    if (prepared.size > MAX_PREPARED) {
      const oldest = prepared.keys().next();
      if (oldest.done !== true) prepared.delete(oldest.value);
    }
    return entry;
  }

  return ({ sql, values }) => {
    const { statement, returnsRows, returning } = prepare(sql);
    if (!returnsRows) return { changes: Number(statement.run(...values).changes), rows: [] };
    const rows: Row[] = [];
    for (const columns of statement.all(...values)) if (isRow(columns)) rows.push(columns);
    // Each changed row comes back exactly once.
    return { changes: returning ? rows.length : 0, rows };
  };
}

/** Integers arrive as numbers, so bigints cannot occur; copying each row would dominate a read. */
function isRow(columns: Record<string, SQLOutputValue | SqlValue>): columns is Row {
  for (const name in columns)
    if (typeof columns[name] === "bigint") throw new Error(`Column ${name} holds a bigint`);
  return true;
}

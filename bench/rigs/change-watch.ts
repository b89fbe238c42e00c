import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";

/**
 * Tables that a refused request may write: its audit entry, its log, a session found expired or
 * stolen, the last use of an API token, and a sign-in state or stream ticket, which is used up when presented.
 */
const BOOKKEEPING = [
  "logs",
  "audit",
  "audit_marks",
  "refusal_counts",
  "sessions",
  "api_tokens",
  "single_uses",
];

export type ChangeWatch = Awaited<ReturnType<typeof watchChanges>>;

/**
 * Reports the tables that each request actually changed. Triggers record every changed row, whatever
 * changed it (statements, cascades, other triggers), so that one small read shows what a request
 * changed. A write that leaves a row unchanged does not count.
 */
export async function watchChanges(database: Database) {
  await database.run(sql`CREATE TABLE fuzz_changes (name TEXT)`);
  const tables = await database.all(sql`
    SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
      AND name <> 'fuzz_changes'`);
  for (const { name } of tables)
    if (!BOOKKEEPING.includes(String(name))) await watchTable(database, String(name));
  return {
    /** Names of tables changed since the last call, except bookkeeping. */
    async take(): Promise<readonly string[]> {
      const rows = await database.all(sql`SELECT DISTINCT name FROM fuzz_changes`);
      if (rows.length > 0) await database.run(sql`DELETE FROM fuzz_changes`);
      return rows.map((row) => String(row.name));
    },
  };
}

async function watchTable(database: Database, table: string): Promise<void> {
  const columns = await database.all(sql`SELECT name FROM pragma_table_info(${table})`);
  const isSame = columns.map(({ name }) => `old."${name}" IS new."${name}"`).join(" AND ");
  const note = `BEGIN INSERT INTO fuzz_changes VALUES ('${table}'); END`;
  await database.batch(
    [
      `CREATE TRIGGER fuzz_${table}_insert AFTER INSERT ON "${table}" ${note}`,
      `CREATE TRIGGER fuzz_${table}_delete AFTER DELETE ON "${table}" ${note}`,
      `CREATE TRIGGER fuzz_${table}_update AFTER UPDATE ON "${table}" WHEN NOT (${isSame}) ${note}`,
    ].map((text) => ({ sql: text, values: [] })),
  );
}

/** Calls `onChange` for each write to the store and each deletion. */
export function countStoreChanges(store: ObjectStore, onChange: () => void): ObjectStore {
  return {
    ...store,
    put(key, body, options) {
      onChange();
      return store.put(key, body, options);
    },
    delete(key) {
      onChange();
      return store.delete(key);
    },
    createMultipart(key, options) {
      onChange();
      return store.createMultipart(key, options);
    },
    abortMultipart(handle) {
      onChange();
      return store.abortMultipart(handle);
    },
  };
}

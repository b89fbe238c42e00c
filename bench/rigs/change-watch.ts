import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";

/**
 * Tables that a refused request may well write to: its audit row, its log, a session that is found
 * expired or stolen, a sign-in state or a stream ticket that is used up by being presented.
 */
const BOOKKEEPING = [
  "logs",
  "audit",
  "audit_marks",
  "audit_seals",
  "refusal_counts",
  "sessions",
  "used_login_states",
  "stream_tickets",
  "notification_tests",
];

/** Tells after each request which tables it truly changed. */
export type ChangeWatch = {
  /** Names of changed tables since the last call, bookkeeping aside. */
  take(): Promise<readonly string[]>;
};

/**
 * Triggers see every changed row, whoever changes it (statements, cascades, other triggers), so that
 * each request can be judged for the price of one small read. A write that leaves a row as it was
 * does not count.
 */
export async function watchChanges(database: Database): Promise<ChangeWatch> {
  await database.run(sql`CREATE TABLE fuzz_changes (name TEXT)`);
  const tables = await database.all(sql`
    SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
      AND name <> 'fuzz_changes'`);
  for (const { name } of tables)
    if (!BOOKKEEPING.includes(String(name))) await watchTable(database, String(name));
  return {
    async take() {
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

/** Counts what is written to and removed from the store. */
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

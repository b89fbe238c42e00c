import { openSqliteDatabase } from "#hosts/node/database.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { listTables, literal, readPages, STAY_BEHIND, type Table } from "./tables.ts";

/** D1 takes statements of up to 100 kB (developers.cloudflare.com/d1/platform/limits). */
const STATEMENT_LENGTH = 50_000;

/** Finds the tables written in a trigger's body. */
const WRITTEN = /\b(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM) (\w+)/g;

/**
 * Generates the SQL that makes an empty D1 database equal to `source`: the schema, then the rows.
 * Triggers fill counts and full-text indexes during the import; the tables that they write come
 * last and are replaced. Fails on a database that has a schema already.
 */
export async function* rowsSql(source: Database): AsyncGenerator<string> {
  const fresh = openSqliteDatabase(":memory:");
  try {
    await migrate(fresh, 0);
    const schema = await fresh.all(sql`
      SELECT m.type, m.sql FROM sqlite_master m
      WHERE m.sql IS NOT NULL AND m.name NOT LIKE 'sqlite|_%' ESCAPE '|'
        AND m.tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
      ORDER BY m.type = 'trigger', m.rowid`);
    const bodies = schema.filter(({ type }) => type === "trigger").map((row) => String(row.sql));
    const derived = new Set(
      bodies.flatMap((text) =>
        [...text.slice(text.indexOf("BEGIN")).matchAll(WRITTEN)].map(([, name]) => name),
      ),
    );
    yield "PRAGMA defer_foreign_keys = true;\n";
    for (const row of schema) yield `${String(row.sql)};\n`;
    const tables = (await listTables(fresh)).filter(({ type }) => type === "table");
    for (const table of tables.filter(({ name }) => !derived.has(name)))
      yield* insertRows(STAY_BEHIND.has(table.name) ? fresh : source, table);
    for (const table of tables.filter(({ name }) => derived.has(name))) {
      yield `DELETE FROM ${table.name};\n`;
      yield* insertRows(source, table);
    }
  } finally {
    await fresh.close();
  }
}

async function* insertRows(from: Database, table: Table): AsyncGenerator<string> {
  const start = `INSERT INTO ${table.name} (${table.columns.join(", ")}) VALUES`;
  let values = "";
  for await (const page of readPages((text) => from.all({ sql: text, values: [] }), table))
    for (const row of page) {
      values += `${values === "" ? "" : ","}\n(${row.map(literal).join(", ")})`;
      if (values.length < STATEMENT_LENGTH) continue;
      yield `${start}${values};\n`;
      values = "";
    }
  if (values !== "") yield `${start}${values};\n`;
}

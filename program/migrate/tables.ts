import * as z from "zod/mini";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, SqlValue } from "#service/ports/database.ts";

/** Runs one statement without bound values. */
export type Query = (text: string) => Promise<readonly Row[]>;

/** They describe a host or its store, and start empty at another one. */
export const STAY_BEHIND: ReadonlySet<string> = new Set([
  "node_cache",
  "health_probes",
  "scan_findings",
]);

const PAGE_ROWS = 1_000;

/** Text that every SQL tool reads alike in quotes; any other is written as bytes. */
const PLAIN = /^[\w .:/@-]*$/;

const names = jsonText(z.array(z.string()));
const tableRow = z.object({ name: z.string(), type: z.string(), columns: names, key: names });
export type Table = z.infer<typeof tableRow>;

/**
 * Reads the list from the database, so that new tables are not forgotten: a virtual one is a full-text
 * index. Columns `scan_…` are a position in the old store's listing, which stays behind.
 */
export async function listTables(database: Database): Promise<readonly Table[]> {
  const found = await database.all(sql`
    SELECT t.name, t.type, (SELECT json_group_array(name ORDER BY cid)
        FROM pragma_table_xinfo(t.name)
        WHERE hidden = 0 AND name NOT GLOB 'scan_*') AS columns,
      (SELECT json_group_array(name ORDER BY pk)
        FROM pragma_table_xinfo(t.name) WHERE pk > 0) AS key
    FROM pragma_table_list t WHERE t.schema = 'main' AND t.type IN ('table', 'virtual')
      AND t.name NOT LIKE 'sqlite|_%' ESCAPE '|' ORDER BY t.name`);
  return z.array(tableRow).parse(found);
}

/** Reads a table page by page in key order; the values are in the order of `columns`. */
export async function* readPages(query: Query, { name, columns, key }: Table) {
  const order = key.join(", ");
  let after = "TRUE";
  for (;;) {
    const rows = await query(
      `SELECT ${columns.join(", ")} FROM ${name} WHERE ${after} ORDER BY ${order} LIMIT ${PAGE_ROWS}`,
    );
    yield rows.map((row) => columns.map((column) => row[column] ?? null));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = `(${order}) > (${key.map((column) => literal(last[column] ?? null)).join(", ")})`;
  }
}

export function literal(value: SqlValue): string {
  if (value === null || typeof value === "number") return String(value);
  if (typeof value !== "string") throw new Error("Columns of bytes cannot be moved.");
  return PLAIN.test(value)
    ? `'${value}'`
    : `CAST(X'${Buffer.from(value).toString("hex")}' AS TEXT)`;
}

import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

export type Table = {
  readonly name: string;
  /** The columns that can be written. */
  readonly columns: readonly string[];
  /** The columns of the primary key, in key order. */
  readonly key: readonly string[];
  /** Whether triggers write it: it is then copied last, when no more triggers fire. */
  readonly isDerived: boolean;
};

export type TableList = {
  /** In an order in which referenced rows precede those that refer to them. */
  readonly tables: readonly Table[];
  /** Full-text indexes, which triggers fill as rows are written. */
  readonly indexes: readonly string[];
};

/** Tables that describe a host or its store and start empty at another one. */
const STAYS_BEHIND = new Set([
  "migrations", // each database has its own
  "node_cache", // may be lost
  "heartbeats",
  "health_probes",
  "store_scan", // a position in the old store's listing
  "store_sightings",
  "unreadable_files",
]);

const listRow = z.object({ name: z.string(), type: z.string() });
const columnRow = z.object({ name: z.string(), pk: z.number(), hidden: z.number() });
const nameRow = z.object({ name: z.string() });
const triggerRow = z.object({ sql: z.string() });

/** Finds the tables written in a trigger's body. */
const WRITTEN = /\b(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM) (\w+)/g;

/** Reads the list from the database itself, so that new tables are not forgotten. */
export async function listTables(source: Database): Promise<TableList> {
  const found = z.array(listRow).parse(
    await source.all(sql`
      SELECT name, type FROM pragma_table_list
      WHERE schema = 'main' AND name NOT LIKE 'sqlite|_%' ESCAPE '|' ORDER BY name`),
  );
  const derived = await tablesWrittenByTriggers(source);
  const moved = found.filter(({ name, type }) => type === "table" && !STAYS_BEHIND.has(name));
  const tables = await Promise.all(
    moved.map(({ name }) => readTable(source, name, derived.has(name))),
  );
  return {
    tables: inOrderOfReferences(tables),
    indexes: found.filter(({ type }) => type === "virtual").map(({ name }) => name),
  };
}

async function tablesWrittenByTriggers(source: Database): Promise<ReadonlySet<string>> {
  const rows = await source.all(sql`SELECT sql FROM sqlite_master WHERE type = 'trigger'`);
  const bodies = z.array(triggerRow).parse(rows);
  return new Set(
    bodies.flatMap((trigger) =>
      [...trigger.sql.slice(trigger.sql.indexOf("BEGIN")).matchAll(WRITTEN)].map(
        ([, name]) => name ?? "",
      ),
    ),
  );
}

type ReferringTable = Table & { readonly refersTo: readonly string[] };

async function readTable(
  source: Database,
  name: string,
  isDerived: boolean,
): Promise<ReferringTable> {
  const columns = z
    .array(columnRow)
    .parse(await source.all(sql`SELECT name, pk, hidden FROM pragma_table_xinfo(${name})`));
  const references = z
    .array(nameRow)
    .parse(await source.all(sql`SELECT "table" AS name FROM pragma_foreign_key_list(${name})`));
  const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
  if (key.length === 0) throw new Error(`The table ${name} has no primary key to copy it by.`);
  return {
    name,
    columns: columns.filter(({ hidden }) => hidden === 0).map((column) => column.name),
    key: key.map((column) => column.name),
    isDerived,
    refersTo: references.map((reference) => reference.name).filter((other) => other !== name),
  };
}

function inOrderOfReferences(tables: readonly ReferringTable[]): readonly Table[] {
  const ordered: ReferringTable[] = [];
  const waiting = [...tables].sort((one, other) => Number(one.isDerived) - Number(other.isDerived));
  while (waiting.length > 0) {
    const ready = waiting.findIndex(({ refersTo }) =>
      refersTo.every((name) => ordered.some((table) => table.name === name)),
    );
    const [next] = ready === -1 ? [] : waiting.splice(ready, 1);
    if (next === undefined) throw new Error("Tables refer to each other in a circle.");
    ordered.push(next);
  }
  return ordered;
}

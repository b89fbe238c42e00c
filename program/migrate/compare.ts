import { createHash } from "node:crypto";
import type { ObjectKey } from "#contract/files.ts";
import type { Database } from "#service/ports/database.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { listTables, readPages, STAY_BEHIND, type Query, type Table } from "./tables.ts";

type Here = { readonly database: Database; readonly objects: ObjectStore };
type There = { readonly query: Query; readonly objects: ObjectStore };

/** Compares all rows, the size of each full-text index, and all bytes. `name` is a table or a key. */
export async function* compare(
  { database, objects }: Here,
  there: There,
): AsyncGenerator<{ readonly name: string; readonly isEqual: boolean }> {
  const here: Query = (text) => database.all({ sql: text, values: [] });
  for (const table of await listTables(database)) {
    if (STAY_BEHIND.has(table.name)) continue;
    const [ours, theirs] = await Promise.all([
      digestRows(here, table),
      digestRows(there.query, table),
    ]);
    yield { name: table.name, isEqual: ours === theirs };
  }
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Awaited<ReturnType<ObjectStore["list"]>> = await objects.list(
      cursor === "" ? {} : { cursor },
    );
    for (const { key } of page.objects) {
      const [ours, theirs] = await Promise.all([
        digestObject(objects, key),
        digestObject(there.objects, key),
      ]);
      yield { name: key, isEqual: ours !== null && ours === theirs };
    }
    cursor = page.cursor;
  }
}

async function digestRows(query: Query, table: Table): Promise<string> {
  if (table.type === "virtual")
    return JSON.stringify(await query(`SELECT count(*) AS n FROM ${table.name}`));
  const hash = createHash("sha256");
  for await (const page of readPages(query, table)) hash.update(JSON.stringify(page));
  return hash.digest("hex");
}

async function digestObject(store: ObjectStore, key: ObjectKey): Promise<string | null> {
  const found = await store.get(key);
  if (found === null) return null;
  const hash = createHash("sha256");
  for await (const chunk of found.body) hash.update(chunk);
  return hash.digest("hex");
}

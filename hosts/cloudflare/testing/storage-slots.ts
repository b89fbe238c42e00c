import { expect } from "vitest";
import { migrate } from "#service/db/migrate.ts";
import type { Statement } from "#service/ports/database.ts";
import type { Bindings } from "../bindings.ts";
import { openD1Database } from "../d1-database.ts";
import { bindings } from "./bindings.ts";

/** A database, a bucket and a namespace for one test. */
export type StorageSlot = Pick<Bindings, "DB" | "OBJECTS" | "CACHE">;

type OwnedSlot = { readonly slot: StorageSlot; owner: string | undefined };

/** Some tests run a second service beside the first. */
const SLOTS: readonly OwnedSlot[] = [
  { slot: { DB: bindings.DB, OBJECTS: bindings.OBJECTS, CACHE: bindings.CACHE }, owner: undefined },
  {
    slot: {
      DB: bindings.DB_SECOND,
      OBJECTS: bindings.OBJECTS_SECOND,
      CACHE: bindings.CACHE_SECOND,
    },
    owner: undefined,
  },
];

/**
 * Returns storage that is empty except for the schema. It is emptied now rather than at the end of
 * the last test, which may have failed. Files run one after another, so slots that an earlier file
 * did not return are free.
 */
export async function takeStorageSlot(): Promise<StorageSlot> {
  const { testPath } = expect.getState();
  const free = SLOTS.find(({ owner }) => owner === undefined || owner !== testPath);
  if (free === undefined)
    throw new Error("All storage is taken: has each test closed its service?");
  free.owner = testPath ?? "a test";
  const { DB, OBJECTS, CACHE } = free.slot;
  await Promise.all([emptyDatabase(DB), emptyBucket(OBJECTS), emptyCache(CACHE)]);
  return free.slot;
}

export function giveBackStorageSlot(given: StorageSlot): void {
  for (const each of SLOTS) if (each.slot === given) each.owner = undefined;
}

/** Drops and recreates all tables, views and triggers in one batch, and thus in one round trip. */
export async function emptyDatabase(d1: D1Database): Promise<void> {
  const database = openD1Database(d1);
  const dropped = await database.all({ sql: OBJECTS_OF_DATABASE, values: [] });
  const created: Statement[] = [];
  await migrate(
    {
      all: async () => [],
      async run(statement) {
        created.push(statement);
        return { changes: 0, rows: [] };
      },
      async batch(statements) {
        created.push(...statements);
        return [];
      },
    },
    0,
  );
  await d1.batch(
    [
      "PRAGMA defer_foreign_keys = on",
      ...dropped.map(({ type, name }) => `DROP ${String(type)} "${String(name)}"`),
    ]
      .map((text) => d1.prepare(text))
      .concat(created.map(({ sql, values }) => d1.prepare(sql).bind(...values))),
  );
}

/** Referencing tables first; the tables inside a full-text index are dropped with it. */
const OBJECTS_OF_DATABASE = `
  SELECT m.type, m.name FROM sqlite_master m LEFT JOIN pragma_table_list t ON t.name = m.name
  WHERE m.type IN ('trigger', 'view', 'table') AND coalesce(t.type, '') <> 'shadow'
    AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~' AND m.name NOT LIKE '~_cf%' ESCAPE '~'
  ORDER BY m.type = 'table', m.type = 'view', m.rowid DESC`;

export async function emptyBucket(bucket: R2Bucket): Promise<void> {
  for (;;) {
    const { objects } = await bucket.list();
    if (objects.length === 0) return;
    await bucket.delete(objects.map(({ key }) => key));
  }
}

async function emptyCache(namespace: KVNamespace): Promise<void> {
  const { keys } = await namespace.list();
  await Promise.all(keys.map(({ name }) => namespace.delete(name)));
}

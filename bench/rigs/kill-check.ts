import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { ObjectKey } from "#contract/files.ts";
import { isBackupKey } from "#service/backups/stored-backups.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { OWNER_KEY } from "#service/store/store-owner.ts";

/** An upload's expected object, regardless of kills while it was stored. */
export type ExpectedObject = {
  readonly uploadId: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The object is stored under one of these. */
  readonly keys: readonly ObjectKey[];
  /** Files that may exist beside it. */
  readonly sidecars: readonly ObjectKey[];
};

/**
 * Compares a store with its expected content: these bytes, and no other remains of killed runs,
 * except for backups, objects whose removal is `planned`, and unfinished uploads that were not
 * recorded, which are removed after a day. Returns faults as sentences.
 */
export async function checkStore(
  store: ObjectStore,
  expected: readonly ExpectedObject[],
  planned: readonly string[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const object of expected) faults.push(...(await checkObject(store, object)));
  faults.push(...(await findStrangers(store, expected, planned)));
  return faults;
}

async function checkObject(
  store: ObjectStore,
  { uploadId, sizeBytes, sha256, keys }: ExpectedObject,
): Promise<readonly string[]> {
  for (const key of keys) {
    const found = await store.get(key);
    if (found === null) continue;
    const hash = createHash("sha256");
    for await (const chunk of found.body) hash.update(chunk);
    if (hash.digest("hex") === sha256) return [];
    const { head } = found;
    return [`${uploadId} differs from its source: ${head.sizeBytes} bytes of ${sizeBytes}`];
  }
  return [`${uploadId} has no object`];
}

async function findStrangers(
  store: ObjectStore,
  expected: readonly ExpectedObject[],
  planned: readonly string[],
): Promise<readonly string[]> {
  const allowed = new Set<string>([
    OWNER_KEY,
    ...planned,
    ...expected.flatMap(({ keys, sidecars }) => [...keys, ...sidecars]),
  ]);
  const faults: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof store.list>> = await store.list({ cursor });
    for (const { key } of page.objects)
      if (!allowed.has(key) && !isBackupKey(key)) faults.push(`${key} is left in the store`);
    cursor = page.cursor;
  }
  return faults;
}

/** Rows that runs keep in the database file at `path` until they end properly. */
export function findLeftRows(path: string): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const faults: string[] = [];
  for (const left of [
    "upload_parts",
    "incomplete_parts",
    `jobs WHERE ${REMOVALS} AND NOT (${PLANNED})`,
  ]) {
    const row = database.prepare(`SELECT count(*) AS count FROM ${left}`).get();
    if (row?.count !== 0) faults.push(`${String(row?.count)} rows are left in ${left}`);
  }
  database.close();
  return faults;
}

/** Incomplete parts that a killed process did not record; they are removed within an hour. */
const PLANNED = `key LIKE 'tails/%' AND due_at > unixepoch() * 1000`;
const REMOVALS = `kind IN ('removal', 'abort')`;

/** The keys of the objects that are still to be removed. */
export function readPlannedRemovals(path: string): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(`SELECT key FROM jobs WHERE ${REMOVALS} AND ${PLANNED}`).all();
  database.close();
  return rows.map((row) => String(row.key));
}

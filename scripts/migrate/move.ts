import type { Database } from "#service/ports/database.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { ObjectHead, ObjectStore } from "#service/ports/object-store.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { D1Api } from "./d1-api.ts";
import { Refusal } from "../command-line.ts";
import { claim, finish, readClaim, sourceIdentity } from "./destination-claim.ts";
import type { Destination } from "./destination.ts";
import { copyObject } from "./object-copy.ts";
import { copyTable, type CopiedTable } from "./row-copy.ts";
import { listTables } from "./table-list.ts";

export type Origin = {
  readonly database: Database;
  readonly objects: ObjectStore;
  readonly digests: Digests;
};

export type MoveReport = {
  readonly objects: number;
  readonly objectsCopied: number;
  readonly bytes: number;
  readonly tables: readonly CopiedTable[];
};

export type MoveProgress = {
  objects(done: { objects: number; bytes: number }, of: { objects: number; bytes: number }): void;
  rows(table: string, done: number): void;
};

/** Objects copied concurrently, each with a block of 16 MiB. */
const OBJECTS_AT_ONCE = 4;

/** Determines what a move would copy. @throws {Refusal} */
export async function planMove(origin: Origin, destination: Destination) {
  const standing = await readClaim(destination, await sourceIdentity(origin.database));
  const heads = await listAll(origin.objects);
  const { tables } = await listTables(origin.database);
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await origin.database.all({
        sql: `SELECT count(*) AS rows FROM ${name}`,
        values: [],
      });
      return Number(row?.["rows"]);
    }),
  );
  return {
    standing,
    objects: heads.length,
    bytes: sizeOf(heads),
    tables: tables.length,
    rows: rows.reduce((sum, count) => sum + count, 0),
    unfinished: await countUnfinished(origin.database),
  };
}

/**
 * Moves everything: objects first, so that no row refers to a missing one. May be stopped at any
 * time and called again. The source must not change meanwhile: hold the lock of its folder.
 *
 * @throws {Refusal} when the destination is neither empty nor claimed by this source.
 */
export async function move(
  origin: Origin,
  destination: Destination,
  progress: MoveProgress,
  nowMs: number,
): Promise<MoveReport> {
  const source = await sourceIdentity(origin.database);
  const { state } = await readClaim(destination, source);
  if (state === "finished") throw new Refusal("This data was moved before.");
  await claim(destination, source);
  await migrate(asDatabase(destination.database), nowMs);
  await compareSchemas(origin.database, destination.database);
  const { heads, copied } = await copyObjects(origin, destination, progress);
  const { tables, indexes } = await listTables(origin.database);
  const copiedTables: CopiedTable[] = [];
  for (const table of tables)
    copiedTables.push(
      await copyTable(origin.database, destination.database, table, (rows) =>
        progress.rows(table.name, rows),
      ),
    );
  await compareCounts(
    origin.database,
    destination.database,
    tables.map(({ name }) => name).concat(indexes),
  );
  await finish(destination, nowMs);
  return {
    objects: heads.length,
    objectsCopied: copied,
    bytes: sizeOf(heads),
    tables: copiedTables,
  };
}

/** Requires both to have exactly the migrations of this program. @throws {Refusal} */
async function compareSchemas(source: Database, target: D1Api): Promise<void> {
  const names = { sql: "SELECT name FROM migrations ORDER BY name", values: [] };
  const here = (await source.all(names)).map(({ name }) => name);
  const [rows = []] = await target.query([names]);
  const there = rows.map(({ name }) => name);
  const lacksHere = there.find((name) => !here.includes(name));
  const lacksThere = here.find((name) => !there.includes(name));
  if (lacksHere !== undefined || lacksThere !== undefined)
    throw new Refusal(
      lacksHere === undefined
        ? `The data folder was written by a newer Vodkeep, which knows ${lacksThere}. Use that one.`
        : `The destination was made by a newer Vodkeep, which knows ${lacksHere}. Use that one.`,
    );
}

async function copyObjects(
  { objects: source, digests }: Origin,
  { objects: target }: Destination,
  progress: MoveProgress,
) {
  const heads = await listAll(source);
  const of = { objects: heads.length, bytes: sizeOf(heads) };
  const done = { objects: 0, bytes: 0 };
  let copied = 0;
  const waiting = [...heads].reverse();
  async function work(): Promise<void> {
    for (let head = waiting.pop(); head !== undefined; head = waiting.pop()) {
      const outcome = await copyObject({ source, target, digests }, head, (bytes) => {
        done.bytes += bytes;
        progress.objects(done, of);
      });
      if (outcome === "copied") copied += 1;
      done.objects += 1;
      progress.objects(done, of);
    }
  }
  const ends = await Promise.allSettled(
    Array.from({ length: OBJECTS_AT_ONCE }, async () => {
      try {
        await work();
      } catch (error) {
        // The other copies stop after their current object, before anything is closed.
        waiting.length = 0;
        throw error;
      }
    }),
  );
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return { heads, copied };
}

/**
 * Compares the row counts of every table and full-text index: triggers must not have changed
 * anything after it was compared, and the indexes must be complete.
 */
async function compareCounts(
  source: Database,
  target: D1Api,
  names: readonly string[],
): Promise<void> {
  const counts = names.map((name) => `SELECT count(*) AS rows FROM ${name}`);
  const there = await target.query(counts.map((text) => ({ sql: text })));
  for (const [at, text] of counts.entries()) {
    const [here] = await source.all({ sql: text, values: [] });
    const [found] = there[at] ?? [];
    if (found?.["rows"] !== here?.["rows"])
      throw new Error(
        `${names[at]} has ${found?.["rows"]} rows at Cloudflare, not ${here?.["rows"]}.`,
      );
  }
}

/** Unfinished uploads are not moved: they start again. */
async function countUnfinished(database: Database): Promise<number> {
  const [row] = await database.all(sql`
    SELECT count(*) AS uploads FROM uploads
    WHERE multipart_id IS NOT NULL AND status IN ('pending', 'processing', 'failed')`);
  return Number(row?.["uploads"]);
}

async function listAll(store: ObjectStore): Promise<readonly ObjectHead[]> {
  const heads: ObjectHead[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<ObjectStore["list"]>> = await store.list(
      cursor === null ? {} : { cursor },
    );
    heads.push(...page.objects);
    cursor = page.cursor;
  } while (cursor !== null);
  return heads;
}

function sizeOf(heads: readonly ObjectHead[]): number {
  return heads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** The part of a database that migrations use; column types convert text to numbers. */
function asDatabase(api: D1Api): Pick<Database, "all" | "run"> {
  const query = async ({ sql: text, values }: Parameters<Database["all"]>[0]) => {
    const [rows = []] = await api.query([{ sql: text, params: values.map(String) }]);
    return rows;
  };
  return { all: query, run: async (statement) => ({ changes: 0, rows: await query(statement) }) };
}

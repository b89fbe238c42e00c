import { rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DatabaseError, type Statement } from "#service/ports/database.ts";
import { openSqliteDatabase } from "./database.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
});
afterEach(() => folder.remove());

const MAKE = { sql: "CREATE TABLE things (name TEXT UNIQUE)", values: [] };
const ADD = { sql: "INSERT INTO things (name) VALUES ('one')", values: [] };

it("an invalid or exclusively locked database file is not opened", async () => {
  const garbage = join(folder.path, "garbage.db");
  await writeFile(garbage, "This was a database once. ".repeat(100));
  expect(() => openSqliteDatabase(garbage)).toThrow(DatabaseError);

  const path = join(folder.path, "kept.db");
  const other = new DatabaseSync(path);
  other.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE things (name TEXT); BEGIN EXCLUSIVE");
  expect(() => openSqliteDatabase(path)).toThrow(DatabaseError);
  other.close();
});

it("a file that is cut short while it is open fails reads, but not the process", async () => {
  const path = join(folder.path, "cut.db");
  const before = openSqliteDatabase(path);
  await before.run(MAKE);
  await before.run({
    sql: `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO things SELECT i || hex(randomblob(100)) FROM n`,
    values: [],
  });
  await before.close();
  const database = openSqliteDatabase(path);
  await database.all({ sql: "SELECT name FROM things LIMIT 1", values: [] });
  // If it is mapped, a read that has begun ends the process.
  expect(await database.all({ sql: "PRAGMA mmap_size", values: [] })).toEqual([{ mmap_size: 0 }]);
  await truncate(path, 100_000);
  await expect(
    database.all({ sql: "SELECT sum(length(name)) FROM things NOT INDEXED", values: [] }),
  ).rejects.toBeInstanceOf(DatabaseError);
  await database.close();
});

it("an invalid statement is not an outage", async () => {
  const database = openSqliteDatabase(join(folder.path, "sound.db"));
  await database.run(MAKE);
  await database.run(ADD);
  for (const faulty of [ADD, { sql: "SELECT nothing", values: [] }])
    await expect(database.run(faulty)).rejects.not.toBeInstanceOf(DatabaseError);
  await database.close();
});

it("closing succeeds while another program holds the lock, without data loss", async () => {
  const path = join(folder.path, "busy.db");
  const database = openSqliteDatabase(path);
  await database.run(MAKE);
  await database.run(ADD);
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  await database.close();
  other.exec("ROLLBACK");
  expect(other.prepare("SELECT name FROM things").all()).toMatchObject([{ name: "one" }]);
  other.close();
});

it("fsync fails if the WAL is missing or the database is closed, and succeeds otherwise", async () => {
  const path = join(folder.path, "durable.db");
  const database = openSqliteDatabase(path);
  await database.run(MAKE);
  await rename(`${path}-wal`, `${path}-aside`);
  await expect(database.fsync?.()).rejects.toBeInstanceOf(DatabaseError);
  await rename(`${path}-aside`, `${path}-wal`);
  await Promise.all([database.fsync?.(), database.fsync?.()]);
  await database.close();
  await expect(database.fsync?.()).rejects.toBeInstanceOf(DatabaseError);
});

/** Inserts a row of `length` bytes. */
function fill(length: number): Statement {
  return { sql: "INSERT INTO filling (text) VALUES (?)", values: ["x".repeat(length)] };
}

it("only essential writes use the reserve of a full disk, and refill it afterwards", async () => {
  const PAGES_A_STEP = 20;
  const used = { most: 0, now: 0 };
  const reserve = {
    shrink() {
      if (used.now === 3 * PAGES_A_STEP) return false;
      used.now += PAGES_A_STEP;
      used.most = Math.max(used.most, used.now);
      void limitPages(pagesBefore + used.now);
      return true;
    },
    refill() {
      used.now = 0;
      void limitPages(pagesBefore);
    },
  };
  const database = openSqliteDatabase(join(folder.path, "full.db"), reserve);
  const limitPages = async (pages: number) =>
    await database.all({ sql: `PRAGMA max_page_count = ${pages}`, values: [] });
  await database.run({ sql: "CREATE TABLE filling (text TEXT)", values: [] });
  const [row] = await database.all({ sql: "PRAGMA page_count", values: [] });
  const pagesBefore = Number(row?.page_count);
  await limitPages(pagesBefore);
  const filling = (async () => {
    for (;;) await database.run(fill(100));
  })();
  await expect(filling).rejects.toMatchObject({ kind: "full" });
  expect(used.most).toBe(0);

  await database.run(fill(100_000), { isEssential: true });
  await database.batch([fill(10)], { isEssential: true });
  expect(used).toEqual({ most: 2 * PAGES_A_STEP, now: 0 });
  await expect(database.batch([fill(9_000)])).rejects.toMatchObject({ kind: "full" });
  // The reserve itself is limited.
  const tooLarge = database.run(fill(1_000_000), { isEssential: true });
  await expect(tooLarge).rejects.toMatchObject({ kind: "full" });
  expect(used.now).toBe(0);
  await database.close();
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { batchIf, requirement } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

export type DatabaseUnderTest = { readonly database: Database; close(): Promise<void> };

/** The behaviour the service requires of every database: SQLite's dialect within D1's limits. */
export function describeDatabase(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(`${name} as the database`, () => {
    let opened: DatabaseUnderTest;
    let database: Database;

    beforeEach(async () => {
      opened = await open();
      ({ database } = opened);
      await database.run(sql`CREATE TABLE owners (id INTEGER PRIMARY KEY)`);
      await database.run(sql`CREATE TABLE things (
        id INTEGER PRIMARY KEY,
        name TEXT UNIQUE,
        data BLOB,
        owner_id INTEGER REFERENCES owners (id)
      )`);
    });
    afterEach(() => opened.close());

    it("returns text, numbers, bytes and null as written", async () => {
      const bytes = new Uint8Array([0, 1, 254, 255]);
      await database.run(
        sql`INSERT INTO things (id, name, data) VALUES (${2 ** 53 - 1}, ${"naïve 🙂 \0 '"}, ${bytes})`,
      );
      const [row] = await database.all(sql`SELECT id, name, data, owner_id FROM things`);
      expect(row).toMatchObject({ id: 2 ** 53 - 1, name: "naïve 🙂 \0 '", owner_id: null });
      expect(new Uint8Array(toBytes(row?.data))).toEqual(bytes);
    });

    it("counts the rows changed by a statement, without those of triggers", async () => {
      await database.run(sql`CREATE TRIGGER adopt AFTER INSERT ON things BEGIN
        INSERT INTO owners (id) VALUES (new.id), (new.id + 1000); END`);
      const inserted = await database.run(sql`INSERT INTO things (id) VALUES (1), (2), (3)`);
      const updated = await database.run(sql`UPDATE things SET name = 'x' || id WHERE id > 1`);
      const untouched = await database.run(sql`UPDATE things SET name = 'y' WHERE id = 99`);
      expect([inserted.changes, updated.changes, untouched.changes]).toEqual([3, 2, 0]);
    });

    it("returns the rows of RETURNING and counts them as changed", async () => {
      await database.run(sql`INSERT INTO things (id, name) VALUES (1, 'a'), (2, 'b')`);
      const claimed = await database.run(
        sql`UPDATE things SET name = 'taken' WHERE id = 1 AND name = 'a' RETURNING id`,
      );
      const late = await database.run(
        sql`UPDATE things SET name = 'taken' WHERE id = 1 AND name = 'a' RETURNING id`,
      );
      expect(claimed).toEqual({ changes: 1, rows: [{ id: 1 }] });
      expect(late).toEqual({ changes: 0, rows: [] });
    });

    it("runs a batch in order as one transaction", async () => {
      const results = await database.batch([
        sql`INSERT INTO things (id, name) VALUES (1, 'a')`,
        sql`UPDATE things SET name = 'b' WHERE id = 1`,
        sql`SELECT name FROM things WHERE id = 1`,
      ]);
      expect(results.map((result) => result.changes)).toEqual([1, 1, 0]);
      expect(results[2]?.rows).toEqual([{ name: "b" }]);
    });

    it("rolls back a whole batch when one statement fails, and keeps working afterwards", async () => {
      await database.run(sql`INSERT INTO things (id, name) VALUES (1, 'a')`);
      const failing = database.batch([
        sql`UPDATE things SET name = 'changed' WHERE id = 1`,
        sql`INSERT INTO things (id) VALUES (1)`,
        sql`DELETE FROM things`,
      ]);
      await expect(failing).rejects.toThrow(/UNIQUE/);
      expect(await database.all(sql`SELECT id, name FROM things`)).toEqual([{ id: 1, name: "a" }]);
      await database.batch([sql`DELETE FROM things`]);
      expect(await database.all(sql`SELECT id FROM things`)).toEqual([]);
    });

    it("runs a batch only if its condition and requirements hold", async () => {
      const isEmpty = sql`NOT EXISTS (SELECT 1 FROM things)`;
      expect(await batchIf(database, isEmpty, [insertThing(1), insertThing(2)])).toMatchObject([
        { changes: 1 },
        { changes: 1 },
      ]);
      expect(await batchIf(database, isEmpty, [insertThing(3)])).toBeNull();
      expect(await batchIf(database, sql`NULL`, [insertThing(3)])).toBeNull();
      const unmet = [
        insertThing(3),
        requirement(sql`(SELECT count(*) FROM things) < 3`),
        insertThing(4),
      ];
      expect(await batchIf(database, sql`TRUE`, unmet)).toBeNull();
      await expect(batchIf(database, sql`TRUE`, [insertThing(3), insertThing(3)])).rejects.toThrow(
        /UNIQUE/,
      );
      expect(await database.all(sql`SELECT id FROM things`)).toEqual([{ id: 1 }, { id: 2 }]);
    });

    it("continues a batch after a statement that changes nothing", async () => {
      await database.batch([
        sql`UPDATE things SET name = 'x' WHERE id = 99`,
        sql`INSERT INTO things (id) VALUES (1)`,
      ]);
      expect(await database.all(sql`SELECT id FROM things`)).toEqual([{ id: 1 }]);
    });

    it("isolates concurrent batches", async () => {
      await database.run(sql`INSERT INTO things (id, name) VALUES (1, '')`);
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          database.batch([
            sql`UPDATE things SET name = name || '<' WHERE id = 1`,
            sql`INSERT INTO owners (id) VALUES (${index})`,
            sql`UPDATE things SET name = name || '>' WHERE id = 1`,
          ]),
        ),
      );
      expect(await database.all(sql`SELECT name FROM things`)).toEqual([{ name: "<>".repeat(20) }]);
    });

    it("enforces foreign keys", async () => {
      await expect(
        database.run(sql`INSERT INTO things (id, owner_id) VALUES (1, 7)`),
      ).rejects.toThrow(/FOREIGN KEY/);
    });

    it("rejects a transaction outside batch()", async () => {
      for (const text of ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s"])
        await expect(database.run({ sql: text, values: [] })).rejects.toBeInstanceOf(Error);
    });

    it("accepts 100 bound values and rejects 101", async () => {
      expect(await database.all(valuesBound(100))).toEqual([{ found: 1 }]);
      await expect(database.all(valuesBound(101))).rejects.toThrow(/too many SQL variables/);
    });

    it("accepts LIKE patterns of 50 bytes and rejects longer ones", async () => {
      await database.run(sql`INSERT INTO things (id, name) VALUES (1, ${"a".repeat(60)})`);
      const like = (pattern: string) =>
        database.all(sql`SELECT id FROM things WHERE name LIKE ${pattern}`);
      expect(await like(`%${"a".repeat(48)}%`)).toEqual([{ id: 1 }]);
      await expect(like(`%${"a".repeat(49)}%`)).rejects.toThrow(/LIKE or GLOB pattern too complex/);
    });

    it("accepts five terms of a compound SELECT and rejects six", async () => {
      expect(await database.all(unionOf(5))).toHaveLength(5);
      await expect(database.all(unionOf(6))).rejects.toThrow(/too many terms in compound SELECT/);
    });

    it("accepts a thousand ids in one JSON value", async () => {
      await database.run(sql`INSERT INTO things (id) VALUES (5), (700), (2000)`);
      const ids = JSON.stringify(Array.from({ length: 1_000 }, (_, index) => index));
      const found = await database.all(
        sql`SELECT id FROM things WHERE id IN (SELECT value FROM json_each(${ids})) ORDER BY id`,
      );
      expect(found).toEqual([{ id: 5 }, { id: 700 }]);
    });

    it("searches substrings with a trigram index", async () => {
      await database.run(sql`CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = 'trigram')`);
      await database.run(sql`INSERT INTO texts (rowid, body) VALUES (1, 'speedrun'), (2, 'chess')`);
      expect(await database.all(sql`SELECT rowid FROM texts WHERE texts MATCH ${'"edr"'}`)).toEqual(
        [{ rowid: 1 }],
      );
    });

    it("rejects the promise for invalid SQL instead of throwing", async () => {
      const outcome = database.run({ sql: "SELEKT 1", values: [] });
      await expect(outcome).rejects.toThrow(/syntax error/);
    });
  });
}

function unionOf(terms: number): Statement {
  const selects = Array.from({ length: terms }, (_, term) => `SELECT ${term} AS n`);
  return { sql: selects.join(" UNION ALL "), values: [] };
}

function valuesBound(count: number): Statement {
  const marks = Array(count).fill("?").join(", ");
  return { sql: `SELECT 1 IN (${marks}) AS found`, values: Array<number>(count).fill(1) };
}

/** D1 returns blobs as buffers or arrays of numbers. */
function toBytes(value: unknown): ArrayLike<number> {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(Number);
  throw new Error("Not bytes");
}

function insertThing(id: number): Statement {
  return sql`INSERT INTO things (id) VALUES (${id})`;
}

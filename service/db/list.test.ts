import { afterAll, expect, test } from "vitest";
import { host } from "#host-under-test";
import { inDirection, listPage, type Direction, type List } from "./list.ts";
import { all, sql } from "./sql.ts";

const database = await host.openDatabase();
afterAll(() => database.close());

/** Half of them match, which is enough for the ways of many matches. */
const ROWS = 21_000;

/** How many rows the list claims to have: the matches are few or many of these. */
const FEW = 1_000_000;
const MANY = 105_000;

const COUNTED = sql`WITH RECURSIVE counted (seq) AS (
  SELECT 1 UNION ALL SELECT seq + 1 FROM counted WHERE seq < ${ROWS})`;
await database.batch([
  sql`CREATE TABLE things (seq INTEGER PRIMARY KEY, name TEXT, size INTEGER, kind INTEGER,
    late INTEGER)`,
  // Every second one is Mara's, in the middle of the names; of these, some have no name or another.
  // Ten of hers are among the first thousand by `late`, and the others are spread behind them.
  sql`${COUNTED} INSERT INTO things SELECT seq, CASE
      WHEN seq % 1000 = 500 THEN NULL
      WHEN seq % 2 = 0 AND seq % 300 > 0 THEN 'mara-' || (seq * 7919 % 5003)
      ELSE char(97 + seq % 26) || (seq * 31 % 1009) END, seq * 17 % 4001, seq % 3,
      iif(iif(seq % 2, seq < 2400, seq <= 20), 0, 1 + seq * 7919 % 20011) FROM counted`,
  sql`CREATE INDEX things_by_name ON things (name COLLATE NOCASE)`,
  sql`CREATE INDEX things_by_size ON things (size)`,
  sql`CREATE INDEX things_by_late ON things (late)`,
  sql`CREATE VIRTUAL TABLE thing_search USING fts5 (owner, content='', tokenize='trigram')`,
  sql`${COUNTED} INSERT INTO thing_search (rowid, owner)
    SELECT seq, iif(seq % 2 = 0, 'mara', 'else') FROM counted`,
]);

const ORDERS = {
  name: { column: sql`t.name COLLATE NOCASE`, inOrder: sql`things t INDEXED BY things_by_name` },
  size: { column: sql`t.size`, inOrder: sql`things t INDEXED BY things_by_size` },
  late: { column: sql`t.late`, inOrder: sql`things t INDEXED BY things_by_late` },
};
const PAGES = [1, 4, 11, 12, 40, 500, 501].map((page) => ({ offset: page * 20 - 20, limit: 20 }));

test.each([
  ["name", "asc", [], FEW, false],
  ["name", "desc", [], FEW, false],
  ["name", "asc", [sql`t.kind > 0`], FEW, false],
  ["name", "desc", [sql`t.kind > 0`], FEW, false],
  ["size", "asc", [], FEW, true],
  ["size", "desc", [], MANY, false],
  ["size", "asc", [sql`t.kind > 0`], MANY, false],
  ["late", "asc", [], MANY, true],
] as const)(
  "many matches by %s, %s",
  async (order, direction: Direction, where, total, isEachRead) => {
    const { column, inOrder } = ORDERS[order];
    const byNumber = sql`things t`;
    const list: List = { inOrder, byNumber, seq: sql`t.seq`, where, sortedBy: [column], direction };
    const search = { index: sql`thing_search`, expression: '"mara"' };
    const as = inDirection(direction);
    const expected = await database.all(sql`SELECT seq FROM things t
    WHERE seq % 2 = 0 AND ${all(where)} ORDER BY ${column} ${as}, seq ${as}`);
    const readsEachMatch: boolean[] = [];
    for (const window of PAGES) {
      const { rows, orderBy } = await listPage(database, list, search, total, window);
      const found = await database.all(
        sql`SELECT t.seq FROM things t WHERE t.seq IN (${rows}) ORDER BY ${orderBy}`,
      );
      expect(found).toEqual(expected.slice(window.offset, window.offset + window.limit));
      readsEachMatch.push(rows.sql.includes("thing_search"));
    }
    expect(readsEachMatch[0]).toBe(isEachRead);
  },
);

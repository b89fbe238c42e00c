import { expect, test } from "vitest";
import { host } from "#host-under-test";
import { systemClock } from "#hosts/ports/clock.ts";
import { DatabaseError, type Database } from "#service/ports/database.ts";
import { BACKFILL_ROWS, scheduleBackfills } from "./backfills.ts";
import { migrate, MIGRATIONS } from "./migrate.ts";
import { createPendingWork, LOOK_EVERY_MS } from "./pending-work.ts";
import { sql } from "./sql.ts";

const ROWS = 100_000;

const LATER = [
  ...MIGRATIONS,
  {
    name: "9999-later",
    statements: [
      "ALTER TABLE many ADD COLUMN copy INTEGER",
      "CREATE INDEX many_lacking ON many (id) WHERE copy IS NULL",
    ],
    backfill:
      "UPDATE many SET copy = id WHERE id IN (SELECT id FROM many WHERE copy IS NULL LIMIT ?)",
  },
];

/** The task of a process that starts on the database; each call is one round. */
function startProcess(database: Database): () => Promise<void> {
  let nowMs = 0;
  const tasks: (() => Promise<void>)[] = [];
  const clock = { ...systemClock, monotonic: () => (nowMs += LOOK_EVERY_MS) };
  const scheduler = {
    every: (_intervalMs: number, _name: string, run: () => Promise<void>) => void tasks.push(run),
  };
  const context = { platform: { database, scheduler }, log: { info: () => undefined } };
  scheduleBackfills(context, createPendingWork(database, clock), LATER);
  return async () => tasks[0]?.();
}

test("an upgrade of many rows fills them after it, a bounded number at a time, whoever goes on", async () => {
  const database = await host.openDatabase();
  await database.run(sql`CREATE TABLE many (id INTEGER PRIMARY KEY)`);
  await database.run(sql`WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n
    WHERE id < ${ROWS}) INSERT INTO many SELECT id FROM n`);
  const changed: number[] = [];
  let lostAnswers = 1;
  const watched: Database = {
    ...database,
    async run(statement) {
      const result = await database.run(statement);
      if (!statement.sql.startsWith("UPDATE many")) return result;
      changed.push(result.changes);
      if (changed.length === 7 && (lostAnswers -= 1) === 0)
        throw new DatabaseError("unavailable", "the answer is lost");
      return result;
    },
  };
  await migrate(watched, 1, () => undefined, LATER);
  expect(await database.all(sql`SELECT count(copy) AS filled FROM many`)).toEqual([{ filled: 0 }]);

  const first = startProcess(watched);
  for (let round = 1; round <= 6; round += 1) await first();
  await expect(first()).rejects.toThrow("lost");
  const second = startProcess(watched);
  for (let round = 1; round <= ROWS / BACKFILL_ROWS; round += 1) await second();
  expect(changed).toEqual([...Array<number>(ROWS / BACKFILL_ROWS).fill(BACKFILL_ROWS), 0]);
  const [row] = await database.all(sql`SELECT count(*) AS rows, sum(copy = id) AS filled,
    (SELECT sum(lacks_backfill) FROM migrations) AS steps FROM many`);
  expect(row).toEqual({ rows: ROWS, filled: ROWS, steps: 0 });
  await database.close();
});

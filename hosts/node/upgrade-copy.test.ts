import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrate, MIGRATIONS } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { readSettings } from "#service/settings.ts";
import { openSqliteDatabase } from "./database.ts";
import { createLogSink } from "./log-sink.ts";
import { openNodePlatform } from "./platform.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";
import { copyBeforeUpgrade } from "./upgrade-copy.ts";

let folder: { path: string; remove(): Promise<void> };
beforeEach(async () => {
  folder = await makeTemporaryFolder();
});
afterEach(() => folder.remove());

const copies = () => readdirSync(folder.path).filter((name) => name.includes(".before"));

function readSchema(): unknown[] {
  const database = new DatabaseSync(join(folder.path, "vodkeep.db"));
  const rows = database.prepare("SELECT name, sql FROM sqlite_schema").all();
  database.close();
  return rows;
}

const STEPS = [...MIGRATIONS, { name: "9999-later", statements: ["CREATE TABLE later (id TEXT)"] }];

/** Starts as a host does, on a database that lacks its last step. */
async function upgrade(copy: (step: string) => void): Promise<void> {
  const database = openSqliteDatabase(join(folder.path, "vodkeep.db"));
  try {
    await migrate(database, 0, copy, STEPS);
    await database.run(sql`INSERT INTO users (id, login, display_name, created_at)
      VALUES ('1', 'a', 'A', 0) ON CONFLICT DO NOTHING`);
    await database.run(sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash,
        bearer_expires_at, created_at, last_seen_at, expires_at)
      VALUES ('s', '1', 'c', 'b', 1, 0, 0, 1) ON CONFLICT DO NOTHING`);
    await database.run(sql`DELETE FROM migrations WHERE name = '9999-later'`);
    await database.run(sql`DROP TABLE later`);
  } finally {
    await database.close();
  }
}

test("only a database that is not new is copied, whole and without sessions", async () => {
  const copy = (step: string) => copyBeforeUpgrade(folder.path, step);
  await upgrade(copy);
  expect(copies()).toEqual([]);
  await upgrade(copy);
  expect(copies()).toEqual(["vodkeep.db.before-9999-later"]);
  const there = new DatabaseSync(join(folder.path, "vodkeep.db.before-9999-later"));
  const row = there.prepare(
    `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM sessions) AS sessions,
       (SELECT count(*) FROM migrations) AS steps`,
  );
  expect({ ...row.get() }).toEqual({
    users: 1,
    sessions: 0,
    steps: MIGRATIONS.length,
  });
  there.close();
});

test("the log says that an upgrade begins, what it does, and that it is done", async () => {
  const database = openSqliteDatabase(join(folder.path, "vodkeep.db"));
  await migrate(database, 0, () => undefined, MIGRATIONS.slice(0, -2));
  await database.close();
  const start = async () => {
    const lines: unknown[] = [];
    const logs = createLogSink(systemClock, { write: (line) => lines.push(JSON.parse(line)) });
    const host = await openNodePlatform(readSettings({}), folder.path, logs);
    await host.close();
    return lines;
  };
  expect(await start()).toMatchObject([
    {
      level: "info",
      message: "Upgrading the database (2 steps, 1 MB; a copy is made first)",
    },
    { level: "info", message: "The database is upgraded" },
  ]);
  expect(await start()).toEqual([]);
});

test("the new copy and the newest other one are kept, whatever the clock says", async () => {
  await upgrade(() => undefined);
  for (const [step, at] of [
    ["0001-a", 5_000],
    ["0003-c", 9_000],
    ["0002-b", 1],
  ] as const) {
    copyBeforeUpgrade(folder.path, step);
    utimesSync(join(folder.path, `vodkeep.db.before-${step}`), at, at);
  }
  expect(copies().sort()).toEqual(["vodkeep.db.before-0002-b", "vodkeep.db.before-0003-c"]);
});

test.each([
  ["the disk is full", () => 100, /cannot be made: 100 bytes are free\. It takes \d{6,} bytes/],
  [
    "the disk does not answer",
    () => {
      throw new Error("EIO");
    },
    /cannot be made: EIO/,
  ],
])("an upgrade stops before any change when %s", async (_what, freeBytes, sentence) => {
  await upgrade(() => undefined);
  const before = readSchema();
  await expect(upgrade((step) => copyBeforeUpgrade(folder.path, step, freeBytes))).rejects.toThrow(
    sentence,
  );
  expect(readSchema()).toEqual(before);
  expect(copies()).toEqual([]);
});

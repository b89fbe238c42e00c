import { expect, test } from "vitest";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { migrate, MIGRATIONS } from "./migrate.ts";
import { sql } from "./sql.ts";

test.each([
  [
    "a newer step",
    `INSERT INTO migrations (name, applied_at) VALUES ('9999-of-later', 0)`,
    /newer.+9999-of-later/,
  ],
  [
    "a newer step of a known version",
    `INSERT INTO migrations (name, applied_at, version) VALUES ('9999-of-later', 0, '9.1.0')`,
    /newer.+start Vodkeep 9\.1\.0 or later/,
  ],
  [
    "a foreign step",
    `UPDATE migrations SET name = '0003-objects' WHERE name = '0003-files'`,
    /another version.+0003-objects/,
  ],
  [
    "an edited step",
    `UPDATE migrations SET digest = 'ffff' WHERE name = '0003-files'`,
    /another version.+0003-files/,
  ],
  [
    "an edited and a newer step",
    `UPDATE migrations SET digest = 'ffff', name = '9999-of-later' WHERE name = '0002-uploads'`,
    /another version.+9999-of-later/,
  ],
])("a database with %s is refused unchanged", async (_what, change, sentence) => {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  await database.run({ sql: change, values: [] });
  const rows = () => database.all(sql`SELECT * FROM migrations ORDER BY name`);
  const before = await rows();
  await expect(migrate(database, 1)).rejects.toThrow(sentence);
  expect(await rows()).toEqual(before);
  await database.close();
});

test("two processes that start at the same time both succeed", async () => {
  const database = openSqliteDatabase(":memory:");
  await Promise.all([migrate(database, 0), migrate(database, 0)]);
  const applied = await database.all(sql`SELECT name FROM migrations ORDER BY name`);
  expect(applied.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name));
  await database.close();
});

test("a step that fails leaves the schema as it was, and is applied by the next start", async () => {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  const schema = async () => database.all(sql`SELECT name, sql FROM sqlite_schema ORDER BY name`);
  const before = await schema();
  const upgrade = (second: string) =>
    migrate(database, 1, () => undefined, [
      ...MIGRATIONS,
      { name: "9999-later", statements: ["ALTER TABLE users ADD COLUMN later TEXT", second] },
    ]);
  await expect(upgrade("UPDATE users SET missing = 1")).rejects.toThrow("missing");
  expect(await schema()).toEqual(before);
  await upgrade("UPDATE users SET later = 1");
  expect(await schema()).not.toEqual(before);
  await database.close();
});

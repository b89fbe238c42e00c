import { expect, test } from "vitest";
import { host } from "#host-under-test";
import { migrate, MIGRATIONS } from "./migrate.ts";
import { sql } from "./sql.ts";

const LATER = [
  ...MIGRATIONS,
  {
    name: "9998-later",
    statements: ["CREATE TABLE later (id TEXT)", "ALTER TABLE users ADD COLUMN later TEXT"],
  },
  { name: "9999-last", statements: ["DELETE FROM users", "INSERT INTO missing VALUES (1)"] },
];

test("an upgrade whose last step fails leaves the database to the version that wrote it", async () => {
  const database = await host.openDatabase();
  await database.run(
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('1', 'a', 'A', 0)`,
  );
  const state = async () => [
    await database.all(sql`SELECT name, sql FROM sqlite_schema ORDER BY name`),
    await database.all(sql`SELECT * FROM migrations ORDER BY name`),
    await database.all(sql`SELECT * FROM users`),
  ];
  const before = await state();
  await expect(migrate(database, 1, () => undefined, LATER)).rejects.toThrow("missing");
  expect(await state()).toEqual(before);
  // The version that wrote it starts, and finds nothing to change.
  await migrate(database, 2);
  expect(await state()).toEqual(before);
  await database.close();
});

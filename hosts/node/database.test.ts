import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeDatabase } from "#hosts/conformance/database-suite.ts";
import { sql } from "#service/db/sql.ts";
import { openSqliteDatabase } from "./database.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

describeDatabase("A SQLite file", async () => {
  const folder = await makeTemporaryFolder();
  const database = openSqliteDatabase(join(folder.path, "test.db"));
  return {
    database,
    async close() {
      await database.close();
      await folder.remove();
    },
  };
});

test("what was deleted is in no free page of the file", async () => {
  const folder = await makeTemporaryFolder();
  const path = join(folder.path, "test.db");
  const database = openSqliteDatabase(path);
  await database.run(sql`CREATE TABLE people (name TEXT)`);
  await database.run(sql`INSERT INTO people VALUES (${"Zyxquorra".repeat(5_000)})`);
  await database.run(sql`DELETE FROM people`);
  await database.close();
  expect((await readFile(path)).includes("Zyxquorra")).toBe(false);
  await folder.remove();
});

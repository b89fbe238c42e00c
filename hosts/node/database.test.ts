import { join } from "node:path";
import { describeDatabase } from "#hosts/conformance/database-suite.ts";
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

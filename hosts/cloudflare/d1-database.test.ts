import { describeDatabase } from "#hosts/conformance/database-suite.ts";
import { openD1Database } from "./d1-database.ts";
import { bindings } from "./testing/bindings.ts";

describeDatabase("D1", async () => {
  const database = openD1Database(bindings.DB);
  for (const table of ["texts", "things", "owners"])
    await database.run({ sql: `DROP TABLE IF EXISTS ${table}`, values: [] });
  return { database, close: async () => undefined };
});

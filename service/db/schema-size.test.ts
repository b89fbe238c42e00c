import { afterAll, expect, test } from "vitest";
import { sql } from "#service/db/sql.ts";
import { startTestService } from "#service/testing/test-service.ts";

/**
 * What everybody who changes the data has to know. A change may lower these ceilings; whoever raises one
 * has found no table, index, trigger or task that could do it too.
 */
const CEILINGS = { tables: 39, indexes: 40, triggers: 16, tasks: 20 };

const tasks: string[] = [];
const vodkeep = await startTestService({
  changePlatform: (platform) => ({
    ...platform,
    scheduler: { every: (_intervalMs, name) => void tasks.push(name) },
  }),
});
vodkeep.service.start({ streams: false, tasks: true });
afterAll(() => vodkeep.close());

/** Without the tables that a full-text index keeps for itself, and the indexes of constraints. */
test("the database and the schedule have no more parts than their ceilings", async ({
  annotate,
}) => {
  const rows = await vodkeep.platform.database.all(sql`SELECT m.type, count(*) AS count
    FROM sqlite_master m JOIN pragma_table_list t ON t.name = m.tbl_name AND t.schema = 'main'
    WHERE t.type <> 'shadow' AND m.name NOT LIKE 'sqlite_%'
      AND m.sql NOT LIKE 'CREATE VIRTUAL%'
    GROUP BY m.type`);
  const made = new Map(rows.map(({ type, count }) => [type, Number(count)]));
  const counts = {
    tables: made.get("table") ?? 0,
    indexes: made.get("index") ?? 0,
    triggers: made.get("trigger") ?? 0,
    tasks: tasks.length,
  };
  await annotate(`Tables, indexes, triggers and tasks: ${Object.values(counts).join(", ")}`);
  const above = Object.entries(CEILINGS).filter(
    ([name, ceiling]) =>
      (Object.entries(counts).find(([each]) => each === name)?.[1] ?? 0) > ceiling,
  );
  expect({ counts, above }).toEqual({ counts, above: [] });
});

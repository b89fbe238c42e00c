import { afterAll, beforeAll, expect, test } from "vitest";
import { PERMISSIONS } from "#contract/permissions.ts";
import { sql } from "#service/db/sql.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { expectTrueNumbers } from "#service/testing/true-numbers.ts";
import { seedRows } from "../../scripts/seed-rows.ts";

/** Fewer of each than one page of its list has. */
const COUNTS = { users: 90, uploads: 95, files: 600 };

let vodkeep: TestService;
beforeAll(async () => {
  vodkeep = await startTestService({ settings: { METRICS_TOKEN: "a-token-for-metrics" } });
  const { database } = vodkeep.platform;
  await seedRows(database, COUNTS, vodkeep.clock.now(), () => undefined);
  await database.batch([
    sql`UPDATE users SET banned_at = 1 WHERE seq % 5 = 0 AND id <> ${ADMIN}`,
    sql`UPDATE users SET permissions = ${JSON.stringify([PERMISSIONS[0]])} WHERE seq % 7 = 0`,
    sql`UPDATE uploads SET retry_count = max_retries WHERE seq % 11 = 0`,
    sql`UPDATE uploads SET status = 'cancelled', failure_class = NULL
      WHERE status = 'failed' AND seq % 3 = 0`,
    sql`UPDATE files SET status = 'orphaned', size_bytes = size_bytes + 1 WHERE seq % 13 = 0`,
    sql`DELETE FROM files WHERE seq % 17 = 0`,
    sql`DELETE FROM uploads WHERE seq % 17 = 0`,
  ]);
});
afterAll(() => vodkeep.close());

test("every figure is what counting the rows gives", async () => {
  const admin = await vodkeep.signIn(ADMIN);
  await expect(expectTrueNumbers({ vodkeep, admin })).resolves.toBeUndefined();
});

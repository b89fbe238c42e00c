import { afterAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { budgets, costBreakdown, costTrend } from "#contract/costs.ts";
import { dashboardStats } from "#contract/dashboard.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { systemMetrics } from "#contract/system.ts";
import { UPLOAD_STATUSES, uploadStatusSchema } from "#contract/upload.ts";
import { listUsers } from "#contract/users.ts";
import { dayOf } from "#service/costs/billing-period.ts";
import { sql } from "#service/db/sql.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedRows } from "../../scripts/seed-rows.ts";

/** Fewer of each than one page of its list has. */
const COUNTS = { users: 90, uploads: 95, files: 600 };

const uploadSchema = z.object({
  owner_id: z.string(),
  status: uploadStatusSchema,
  created_at: z.number(),
});
const fileSchema = z.object({ user_id: z.nullable(z.string()), size_bytes: z.number() });
const userSchema = z.object({
  banned_at: z.nullable(z.number()),
  last_login_at: z.nullable(z.number()),
});

const vodkeep = await startTestService({ settings: { METRICS_TOKEN: "a-token-for-metrics" } });
const { database } = vodkeep.platform;
await seedRows(database, COUNTS, vodkeep.clock.now(), () => undefined);
await database.batch([
  sql`UPDATE users SET banned_at = 1 WHERE seq % 5 = 0 AND id <> ${ADMIN}`,
  // Owners of channels are known and never signed in.
  sql`UPDATE users SET last_login_at = iif(seq % 3 = 0 AND id <> ${ADMIN}, NULL, 1)`,
  sql`UPDATE users SET permissions = ${JSON.stringify([PERMISSIONS[0]])} WHERE seq % 7 = 0`,
  sql`UPDATE uploads SET retry_count = max_retries WHERE seq % 11 = 0`,
  sql`UPDATE uploads SET status = 'cancelled', failure_class = NULL
    WHERE status = 'failed' AND seq % 3 = 0`,
  sql`UPDATE files SET status = 'orphaned', size_bytes = size_bytes + 1 WHERE seq % 13 = 0`,
  sql`DELETE FROM files WHERE seq % 17 = 0`,
  sql`DELETE FROM uploads WHERE seq % 17 = 0`,
]);
const admin = await vodkeep.signIn(ADMIN);
const rowsOf = async (table: string) =>
  await database.all({ sql: `SELECT * FROM ${table}`, values: [] });
const uploads = (await rowsOf("uploads")).map((row) => uploadSchema.parse(row));
const files = (await rowsOf("files")).map((row) => fileSchema.parse(row));
const users = (await rowsOf("users")).map((row) => userSchema.parse(row));
afterAll(() => vodkeep.close());

function sumOf<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}

test("the user list counts the uploads and bytes of each user's rows", async () => {
  const { items } = await admin.expect(listUsers, "/admin/users?limit=100");
  expect(items).toHaveLength(users.length);
  for (const { id, uploads: count, storedBytes } of items)
    expect([count, storedBytes]).toEqual([
      uploads.filter((upload) => upload.owner_id === id).length,
      sumOf(
        files.filter((file) => file.user_id === id),
        (file) => file.size_bytes,
      ),
    ]);
});

test("dashboard statistics, system metrics and Prometheus metrics match the rows", async () => {
  const ofStatus = (status: string) => uploads.filter((upload) => upload.status === status).length;
  const used = sumOf(files, (file) => file.size_bytes);
  const capacity = vodkeep.settings.STORAGE_CAPACITY_GB * 1024 ** 3;
  expect(await admin.expect(dashboardStats)).toEqual({
    uploads: {
      total: uploads.length,
      today: uploads.filter((upload) => dayOf(upload.created_at) === dayOf(vodkeep.clock.now()))
        .length,
      completed: ofStatus("completed"),
      processing: ofStatus("processing"),
      failed: ofStatus("failed"),
      pending: ofStatus("pending"),
    },
    users: {
      active: users.filter((user) => user.last_login_at !== null && user.banned_at === null).length,
      total: users.length,
    },
    storage: {
      used,
      free: expect.any(Number),
      percentage: expect.closeTo((used / capacity) * 100, 9),
      trashBytes: 0,
      bytesPerDay: null,
    },
  });
  expect(await admin.expect(systemMetrics)).toMatchObject({
    totalUploads: uploads.length,
    activeUploads: ofStatus("processing"),
    failedUploads: ofStatus("failed"),
    cloudflare: { r2Storage: { usedGB: used / 1024 ** 3 } },
  });
  const prometheus = await admin.send("GET", "/metrics", {
    headers: { authorization: "Bearer a-token-for-metrics" },
  });
  const text = await prometheus.text();
  for (const status of UPLOAD_STATUSES)
    expect(text).toContain(`vodkeep_uploads{status="${status}"} ${ofStatus(status)}\n`);
  expect(text).toContain(`vodkeep_stored_bytes ${used}\n`);
});

test("all views of the costs add up to the same total", async () => {
  const breakdown = await admin.expect(costBreakdown);
  const { total, workers, r2Storage, r2Operations, r2Transfer } = breakdown;
  const { d1Database, d1Operations, kvOperations, queueOperations } = breakdown;
  const parts = [workers, r2Storage, r2Operations, r2Transfer, d1Database, d1Operations];
  expect(sumOf([...parts, kvOperations, queueOperations], (usd) => usd)).toBeCloseTo(total, 6);
  const { days } = await admin.expect(costTrend, "/admin/cost-alerts/trend?days=90");
  const ofMonth = days.filter(({ date }) => date >= breakdown.periodStart);
  expect(sumOf(ofMonth, (day) => day.total)).toBeCloseTo(total, 5);
  const {
    budgets: [budget],
  } = await admin.expect(budgets);
  expect(budget?.spent).toBeCloseTo(total, 9);
  expect(budget?.remaining).toBeCloseTo(Math.max(0, (budget?.budget ?? 0) - total), 6);

  const { unitEconomics } = (await admin.expect(systemMetrics)).costAnalysis;
  const completed = uploads.filter(({ status }) => status === "completed").length;
  const gigabytes = sumOf(files, (file) => file.size_bytes) / 1024 ** 3;
  const { costPerVod, costPerUser, costPerGB } = unitEconomics;
  expect((costPerVod ?? 0) * completed).toBeCloseTo(completed === 0 ? 0 : total, 2);
  expect((costPerUser ?? 0) * users.length).toBeCloseTo(users.length === 0 ? 0 : total, 2);
  expect((costPerGB ?? 0) * gigabytes).toBeCloseTo(gigabytes === 0 ? 0 : total, 2);
});

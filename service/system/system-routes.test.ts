import { afterEach, beforeEach, expect, test } from "vitest";
import { listAudit } from "#contract/audit.ts";
import { addressOf } from "#contract/call-request.ts";
import { costAlerts } from "#contract/costs.ts";
import { DASHBOARD_LISTS, dashboardStats, dashboardView } from "#contract/dashboard.ts";
import {
  clearCache,
  readWaitingWork,
  restartWorkers,
  systemLogs,
  systemMetrics,
  systemSetup,
} from "#contract/system.ts";
import { listFailedUploads, listUploads } from "#contract/uploads.ts";
import { NEVER_MS } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import { plan, planEach, SOLE } from "#service/jobs/jobs.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { pruneLogs } from "./log-store.ts";

let vodkeep: TestService;
let admin: TestClient;

beforeEach(async () => {
  vodkeep = await startTestService({
    settings: { STORAGE_CAPACITY_GB: "10", METRICS_TOKEN: "a-token-for-prometheus" },
  });
  admin = await vodkeep.signIn(ADMIN);
});
afterEach(() => vodkeep.close());

async function addFile(sizeBytes: number): Promise<void> {
  await vodkeep.platform.database.run(sql`
    INSERT INTO files (object_key, size_bytes, upload_type, status, content_type, last_modified_at)
    VALUES (${`vods/${sizeBytes}`}, ${sizeBytes}, 'twitch', 'complete', 'video/mp2t', 0)`);
}

async function logs(query: string) {
  return (await admin.expect(systemLogs, `${systemLogs.path}?${query}`)).logs;
}

function askPrometheus(headers: Record<string, string>) {
  return vodkeep.visitor().send("GET", "/metrics", { headers });
}

test("an empty service reports zeros, and unknown health before any probe", async () => {
  const metrics = await admin.expect(systemMetrics);
  expect(metrics).toMatchObject({
    totalUploads: 0,
    activeUploads: 0,
    failedUploads: 0,
    cloudflare: {
      r2Storage: { usedGB: 0, utilization: "0%", status: "unknown" },
      d1Database: { status: "unknown" },
      workers: { environment: "preview", status: "unknown" },
      queues: { vodResumeQueue: { status: "unknown" } },
    },
  });
  expect(await admin.expect(dashboardStats)).toMatchObject({
    uploads: { total: 0, today: 0, failed: 0 },
    storage: { used: 0, percentage: 0 },
  });
  expect(metrics.performance.throughput).toMatch(/^\d+(\.\d)? ops\/min$/);
});

test("metrics and dashboard report uploads, users and used storage", async () => {
  const { database, clock } = vodkeep.platform;
  vodkeep.clock.advance(60_000);
  const yesterday = clock.now() - 86_400_000;
  await seedUpload(database, { id: "a", status: "failed", atMs: yesterday });
  await seedUpload(database, { id: "b", status: "completed", atMs: clock.now() });
  await seedUpload(database, { id: "c", status: "processing", atMs: clock.now() });
  await addFile(3 * 1024 ** 3);
  const metrics = await admin.expect(systemMetrics);
  expect(metrics).toMatchObject({
    totalUploads: 3,
    activeUploads: 1,
    failedUploads: 1,
    cloudflare: { r2Storage: { usedGB: 3, utilization: "30%" } },
  });
  expect(metrics.uptime).toBeGreaterThanOrEqual(60);
  expect(metrics.cloudflare.d1Database.totalRecords).toBeGreaterThanOrEqual(6);
  expect(await admin.expect(dashboardStats)).toEqual({
    uploads: {
      total: 3,
      today: 2,
      completed: 1,
      processing: 1,
      failed: 1,
      pending: 0,
    },
    users: { active: 1, total: 2 },
    storage: expect.objectContaining({ used: 3 * 1024 ** 3, percentage: 30 }),
  });
});

test("dashboard sections that an administrator may not read are null", async () => {
  const { id } = await vodkeep.twitch.control.addAccount();
  const reader = await vodkeep.signInWith(id, ["read:users"]);
  const stats = await reader.expect(dashboardStats);
  expect(stats).toMatchObject({ uploads: null, storage: null, users: { total: 2 } });
  // As the File Browser, which shows the same total.
  const account = await vodkeep.twitch.control.addAccount();
  const browser = await vodkeep.signInWith(account.id, ["read:uploads"]);
  expect(await browser.expect(dashboardStats)).toMatchObject({ storage: { used: 0 }, users: null });
});

test("the dashboard's first view is what its parts' own calls answer, null without the right", async () => {
  await seedUpload(vodkeep.platform.database, { id: "1", status: "failed" });
  const view = await admin.expect(dashboardView);
  const { failed, recent, alerts } = DASHBOARD_LISTS;
  const stats = await admin.expect(dashboardStats);
  // Other processes use the same disk.
  const storage = { ...stats.storage, free: view.stats?.storage?.free };
  expect(view).toMatchObject({
    stats: { ...stats, storage },
    failed: await admin.expect(listFailedUploads, addressOf(listFailedUploads, { query: failed })),
    recent: await admin.expect(listUploads, addressOf(listUploads, { query: recent })),
    alerts: await admin.expect(costAlerts, addressOf(costAlerts, { query: alerts })),
    setup: null,
  });
  expect(Object.entries(view).filter(([, part]) => part === null)).toEqual([["setup", null]]);
  expect(
    await admin.expect(dashboardView, addressOf(dashboardView, { query: { setup: true } })),
  ).toMatchObject({
    setup: await admin.expect(systemSetup),
  });
  const { id } = await vodkeep.twitch.control.addAccount();
  const reader = await vodkeep.signInWith(id, ["read:uploads"]);
  const part = await reader.expect(
    dashboardView,
    addressOf(dashboardView, { query: { setup: true } }),
  );
  expect(part).toMatchObject({ metrics: null, budgets: null, setup: null, recent: { total: 1 } });
});

test("utilization beyond the capacity exceeds 100 % in the metrics and on the dashboard", async () => {
  await addFile(25 * 1024 ** 3);
  const metrics = await admin.expect(systemMetrics);
  expect(metrics.cloudflare.r2Storage.utilization).toBe("250%");
  expect((await admin.expect(dashboardStats)).storage?.percentage).toBe(250);
});

test("logs are filtered by level, newest first, searchable and paged back in time", async () => {
  const { database } = vodkeep.platform;
  await database.run(sql`DELETE FROM logs`);
  for (const [index, level] of ["error", "info", "error", "error"].entries())
    await database.run(sql`
      INSERT INTO logs (level, at, message, meta)
      VALUES (${level}, ${index}, ${`Line ${index} \u001b[31m 100%`}, ${JSON.stringify({ uploadId: `u${index}`, name: `"${index}"` })})`);
  const errors = await logs("");
  expect(errors.map(({ meta }) => meta?.uploadId)).toEqual(["u3", "u2", "u0"]);
  expect(await logs(`before=${errors[1]?.id}`)).toEqual([errors[2]]);
  expect(await logs("search=U2")).toEqual([errors[1]]);
  expect(await logs("search=100%25&limit=1")).toEqual([errors[0]]);
  expect(await logs("search=1_0")).toEqual([]);
  expect(await logs('search="2"')).toEqual([errors[1]]);
  expect(await logs("level=debug")).toEqual([]);
});

test("prunes old and excess log entries, and keeps the newest", async () => {
  const { database, clock } = vodkeep.platform;
  await database.run(sql`DELETE FROM logs`);
  const month = 30 * 86_400_000;
  await database.run(sql`
    INSERT INTO logs (seq, level, at, message) VALUES
      (1, 'info', ${clock.now()}, 'beyond the number'),
      (100005, 'info', ${clock.now() - month - 1}, 'too old'),
      (100006, 'info', ${clock.now()}, 'stays')`);
  await pruneLogs(database, clock.now());
  const left = await database.all(sql`SELECT message FROM logs`);
  expect(left).toEqual([{ message: "stays" }]);
});

test("clearing the cache returns the number of deleted entries and keeps the session", async () => {
  const { cache } = vodkeep.platform;
  await cache.set("one", "1", 60_000);
  await cache.set("two", "2", 60_000);
  expect((await admin.expect(clearCache)).cleared).toBeGreaterThanOrEqual(2);
  expect(await cache.get("one")).toBeNull();
  expect((await admin.expect(clearCache)).cleared).toBe(0);
  const { total } = await admin.expect(listAudit, `${listAudit.path}?action=cache.clear`);
  expect(total).toBe(2);

  for (let index = 0; index < 30; index += 1) await cache.set(`entry${index}`, "1", 60_000);
  const answers = await Promise.all(Array.from({ length: 50 }, () => admin.expect(clearCache)));
  expect(answers.reduce((sum, { cleared }) => sum + cleared, 0)).toBe(30);
});

test("waiting work is listed with its reason and time: what fails first", async () => {
  const { database, clock } = vodkeep.platform;
  const nowMs = clock.now();
  const inAnHour = nowMs + 3_600_000;
  await seedUpload(database, { id: "a", status: "completed" });
  await seedUpload(database, { id: "b", status: "processing" });
  await database.batch([
    sql`DELETE FROM jobs`,
    sql`UPDATE uploads SET title = 'Opening night', attempts = 2, error_message = 'It is away.',
      next_attempt_at = iif(id = 'b', ${inAnHour}, NULL)`,
    plan("chat", "a", nowMs),
    plan("restoreTest", SOLE, NEVER_MS),
    plan("vodCheck", SOLE, inAnHour),
    plan("removal", "vods/1/2/3.ts", inAnHour),
    sql`UPDATE jobs SET lease_until = ${inAnHour} WHERE kind = 'chat'`,
  ]);
  const { items, total } = await admin.expect(readWaitingWork);
  expect(total).toBe(3);
  expect(items).toMatchObject([
    { work: "Archive", subject: "Opening night", attempts: 2, error: "It is away." },
    { work: "Chat replay", subject: "Opening night", isRunning: true, error: null },
    { work: "Removal from the store", subject: "vods/1/2/3.ts", isRunning: false },
  ]);
  expect(items[2]?.dueAt).toBe(new Date(inAnHour).toISOString());

  const keys = JSON.stringify(Array.from({ length: 60 }, (_, index) => index));
  await database.batch([
    planEach("removal", sql`SELECT value AS key FROM json_each(${keys})`, nowMs),
    plan("backup", SOLE, inAnHour),
  ]);
  const many = await admin.expect(readWaitingWork);
  expect(many.total).toBe(64);
  expect(many.items).toHaveLength(50);
  expect(many.items.at(-1)).toMatchObject({ work: "Backup of the database", subject: null });
});

test("fifty concurrent restarts all return the same counts", async () => {
  await seedUpload(vodkeep.platform.database, { id: "waiting", status: "pending" });
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, () => admin.expect(restartWorkers)),
  );
  expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).toEqual(
    new Set(['{"restarted":0,"resumed":1}']),
  );
});

test("a restart that cannot be announced to other processes does not stop this one", async () => {
  const apart = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      runtime: { ...platform.runtime, isSoleWriter: false },
      hub: {
        ...platform.hub,
        publish: async (topic, data) => {
          if (topic === "archive-handovers") throw new Error("The hub does not answer.");
          await platform.hub.publish(topic, data);
        },
      },
    }),
  });
  const client = await apart.signIn(ADMIN);
  await seedUpload(apart.platform.database, { id: "waiting", vodId: "404404404" });
  expect((await client.send("POST", restartWorkers.path)).status).toBe(500);
  await apart.service.consume({ uploadId: "waiting" });
  const [row] = await apart.platform.database.all(sql`SELECT epoch FROM uploads`);
  expect(row?.epoch).toBe(1);
  await apart.close();
});

test("the Prometheus endpoint answers to its token alone, and not at all without one", async () => {
  const refused = [undefined, "Bearer", "Bearer wrong", `Bearer ${admin.token}`];
  for (const authorization of refused) {
    const answer = await askPrometheus(authorization === undefined ? {} : { authorization });
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain("vodkeep_");
  }
  expect((await admin.send("GET", "/metrics")).status).toBe(401);
  const answer = await askPrometheus({ authorization: "bearer a-token-for-prometheus" });
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).trimEnd().split("\n");
  expect(lines).toContain('vodkeep_uploads{status="failed"} 0');
  for (const line of lines)
    expect(line).toMatch(
      /^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? (-?[\d.]+(e[+-]?\d+)?|Nan))$|^$/,
    );
  const without = await startTestService();
  for (const authorization of ["Bearer ", "Bearer undefined", "Bearer a-token-for-prometheus"])
    expect(
      await without.visitor().send("GET", "/metrics", { headers: { authorization } }),
    ).toMatchObject({ status: 404 });
  await without.close();
});

async function done(): Promise<string[]> {
  const { steps } = await admin.expect(systemSetup);
  return steps.flatMap(({ step, isDone }) => (isDone ? [step] : []));
}

test("the steps of a new deployment are done one after the other", async () => {
  const { database, objects } = vodkeep.platform;
  const [twitch, storage] = (await admin.expect(systemSetup)).steps;
  expect(twitch?.text).toContain("A local stand-in makes up accounts and videos. ");
  expect(storage?.text).toContain(objects.name);
  expect(await done()).toEqual([]);
  await database.run(sql`
    INSERT INTO health_probes (component, status, since_at, checked_at)
    VALUES ('r2Storage', 'healthy', 0, ${vodkeep.clock.now()})`);
  expect(await done()).toEqual(["storage"]);
  await seedUpload(database, { id: "a", status: "completed" });
  expect(await done()).toEqual(["storage", "archive"]);
});

import { rename } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { setPreferences } from "#contract/notifications.ts";
import { listUploads } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { scheduleHealthProbes } from "#service/health/health-probes.ts";
import { readHealth } from "#service/health/health-store.ts";
import { createWorkerProbe } from "#service/health/worker-probe.ts";
import type { Scheduler } from "#service/ports/scheduler.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";

const METRICS_TOKEN = "metrics-token-of-this-test";
const PREFERENCES = { preferences: { enabledEvents: {} } };

let vodkeep: TestService;
let admin: TestClient;

beforeEach(async () => {
  vodkeep = await startTestService({ settings: { METRICS_TOKEN } });
  admin = await vodkeep.signIn(ADMIN);
  const { context, platform } = vodkeep;
  const scheduler: Scheduler = {
    every(_intervalMs, _name, run) {
      probes = run;
    },
  };
  scheduleHealthProbes(
    { ...context, platform: { ...platform, scheduler } },
    createWorkerProbe(vodkeep.clock),
  );
});
afterEach(() => vodkeep.close());

async function databaseFile(): Promise<string> {
  const [row] = await vodkeep.platform.database.all(sql`SELECT file FROM pragma_database_list`);
  return String(row?.file);
}

/** Requests an address outside the contract. */
async function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return await vodkeep.service.fetch(new Request(`http://localhost:8787${path}`, { headers }), {
    clientAddress: "127.0.0.1",
  });
}

/** One round of the health probes, which run every fifteen seconds. */
let probes: () => Promise<void>;

async function databaseHealth(): Promise<string> {
  const { database, runtime, clock } = vodkeep.platform;
  return (await readHealth(database, runtime.startedAt, clock.now())).d1Database.status;
}

async function save(): Promise<Response> {
  return await admin.send("PUT", setPreferences.path, { body: PREFERENCES });
}

/** Limits the pages of this connection; existing pages stay. */
async function limitPages(pages: string): Promise<void> {
  const { database } = vodkeep.platform;
  const [row] = await database.all({ sql: `SELECT ${pages} AS pages`, values: [] });
  await database.all({ sql: `PRAGMA max_page_count = ${String(row?.pages)}`, values: [] });
}

async function lockTimeoutMs(): Promise<number> {
  const [row] = await vodkeep.platform.database.all(sql`PRAGMA busy_timeout`);
  return Number(row?.timeout);
}

async function fillWith(textLength: number): Promise<void> {
  const text = "x".repeat(textLength);
  for (;;)
    await vodkeep.platform.database.run(
      sql`INSERT INTO logs (level, at, message) VALUES ('debug', 0, ${text})`,
    );
}

async function expectOutage(response: Response, message: string): Promise<void> {
  expect(await response.json()).toEqual({ error: { code: "unavailable", message } });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
}

test("while another program locks the database, reads work and writes return 503", async () => {
  const other = new DatabaseSync(await databaseFile());
  other.exec("BEGIN IMMEDIATE");
  expect(await lockTimeoutMs()).toBeGreaterThan(0);
  await expectOutage(await save(), "The database is not responding. Try again in a moment.");
  // Only the first call waits for the lock.
  expect(await lockTimeoutMs()).toBe(0);
  await expectOutage(await save(), "The database is not responding. Try again in a moment.");
  // The session's use is recorded once a minute; that write may fail without ending the session.
  vodkeep.clock.advance(120_000);
  expect(await admin.expect(listUploads)).toMatchObject({ total: 0 });
  await expectOutage(await ask("/readyz"), "The database is not responding.");

  for (const status of ["degraded", "unhealthy"]) {
    await expect(probes()).rejects.toThrow("locked");
    expect(await databaseHealth()).toBe(status);
  }
  other.exec("ROLLBACK");
  other.close();
  expect((await save()).status).toBe(200);
  expect(await lockTimeoutMs()).toBeGreaterThan(0);
  await probes();
  expect(await databaseHealth()).toBe("healthy");
});

test("requests return 503 while the database file is missing, and work once it is back", async () => {
  expect((await ask("/readyz")).status).toBe(200);
  const file = await databaseFile();
  await rename(file, `${file}.away`);
  await vi.waitFor(
    async () =>
      await expectOutage(
        await admin.send("GET", listUploads.path),
        "The database is not responding. Try again in a moment.",
      ),
    { timeout: 180_000 },
  );
  await expectOutage(await save(), "The database is not responding. Try again in a moment.");
  vodkeep.clock.advance(5_000);
  await expectOutage(await ask("/readyz"), "The database is not responding.");
  expect((await ask("/healthz")).status).toBe(200);
  const metrics = await ask("/metrics", { authorization: `Bearer ${METRICS_TOKEN}` });
  expect(metrics.status).toBe(200);
  expect(await metrics.text()).toContain('vodkeep_healthy{component="database"} 0');

  await rename(`${file}.away`, file);
  await vi.waitFor(async () => expect((await save()).status).toBe(200), { timeout: 180_000 });
  vodkeep.clock.advance(5_000);
  expect((await ask("/readyz")).status).toBe(200);
});

test("a full disk stops only writes, and the database's health reports it", async () => {
  await limitPages("(SELECT page_count FROM pragma_page_count())");
  for (const length of [10_000, 10]) await expect(fillWith(length)).rejects.toThrow("full");
  // New rows still fit into existing pages.
  let answer = await save();
  for (let tries = 0; tries < 500 && answer.status === 200; tries += 1) answer = await save();
  await expectOutage(answer, "The database is full and accepts no changes.");
  expect(await admin.expect(listUploads)).toMatchObject({ total: 0 });
  await expectOutage(await ask("/readyz"), "The database is full and accepts no changes.");
  await probes();
  expect(await databaseHealth()).toBe("degraded");
  await probes();
  expect(await databaseHealth()).toBe("unhealthy");
  await limitPages("1000000");
  await probes();
  expect(await databaseHealth()).toBe("healthy");
  expect((await save()).status).toBe(200);
});

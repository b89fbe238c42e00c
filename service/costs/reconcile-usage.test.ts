import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "#hosts/ports/clock.ts";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { migrate } from "#service/db/migrate.ts";
import { readSettings } from "#service/settings.ts";
import { readMonthCost } from "./month-cost.ts";
import { cloudflareAccount, reconcileUsage } from "./reconcile-usage.ts";
import { addMeteredUsage, readLedger } from "./usage-ledger.ts";
import { NO_USAGE } from "./usage.ts";
import { listen } from "#stand-ins/listen.ts";

/** Requests recorded by a stand-in for one account's analytics, which answers one query. */
const requests: { authorization: string | undefined; first: unknown; last: unknown }[] = [];
let answer: { status: number; body: unknown };
const analytics = createServer((request, response) => void serve(request, response));
const port = await listen(analytics);

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { variables } = JSON.parse(await text(request));
  const { authorization } = request.headers;
  requests.push({ authorization, first: variables.first, last: variables.last });
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer.body));
}

afterAll(async () => {
  await outgoing.close();
  analytics.close();
});

let database: SqliteDatabase;
let nowMs: number;
const outgoing = createOutgoingFetch();

beforeEach(async () => {
  nowMs = Date.parse("2026-11-20T12:00:00Z");
  requests.length = 0;
  database = openSqliteDatabase(":memory:");
  await migrate(database, nowMs);
});

afterEach(async () => {
  await database.close();
});

function surroundings() {
  const settings = readSettings({
    CLOUDFLARE_ACCOUNT_ID: "account",
    CLOUDFLARE_API_TOKEN: "secret-token",
  });
  const account = cloudflareAccount(settings, `http://127.0.0.1:${port}/graphql`);
  if (account === null) throw new Error("The settings name an account");
  const clock = { ...systemClock, now: () => nowMs };
  return { context: { platform: { database, clock, fetch: outgoing.fetch } }, account };
}

function run() {
  const { context, account } = surroundings();
  return reconcileUsage(context, account);
}

async function meter(day: string) {
  await database.run(
    addMeteredUsage(day, { ...NO_USAGE, classAOperations: 10, egressBytes: 99 }, nowMs),
  );
}

function report(date: string) {
  const dimensions = { date };
  return {
    data: {
      viewer: {
        accounts: [
          {
            workersInvocationsAdaptive: [
              { sum: { requests: 1_000, cpuTimeUs: 2_500_000 }, dimensions },
            ],
            r2OperationsAdaptiveGroups: [
              { sum: { requests: 40 }, dimensions: { date, actionType: "UploadPart" } },
              { sum: { requests: 2 }, dimensions: { date, actionType: "CreateMultipartUpload" } },
              { sum: { requests: 7 }, dimensions: { date, actionType: "GetObject" } },
              { sum: { requests: 500 }, dimensions: { date, actionType: "DeleteObject" } },
            ],
            r2StorageAdaptiveGroups: [
              { max: { payloadSize: 1_000, metadataSize: 1 }, dimensions: { date } },
              { max: { payloadSize: 500, metadataSize: 0 }, dimensions: { date } },
            ],
            kvOperationsAdaptiveGroups: [
              { sum: { requests: 3 }, dimensions: { date, actionType: "read" } },
            ],
            d1AnalyticsAdaptiveGroups: null,
          },
        ],
      },
    },
  };
}

test("the usage that Cloudflare reports replaces the metered usage of past days", async () => {
  await meter("2026-11-19");
  await meter("2026-11-20");
  answer = { status: 200, body: report("2026-11-19") };
  expect(await run()).toBe(1);
  expect(requests).toEqual([
    { authorization: "Bearer secret-token", first: "2026-11-19", last: "2026-11-19" },
  ]);
  const { days } = await readLedger(database, "2026-11-01");
  expect(days[0]?.usage).toMatchObject({
    workerRequests: 1_000,
    workerCpuMs: 2_500,
    classAOperations: 42,
    classBOperations: 7,
    storedBytesPeak: 1_501,
    kvReads: 3,
    // Not reported, so the metered value stays.
    egressBytes: 99,
  });
  expect(days[1]?.usage.classAOperations).toBe(10);
  const { context } = surroundings();
  expect((await readMonthCost(context)).source).toBe("reconciled");
});

test("a day is queried once a day, and only while its figures may still change", async () => {
  await meter("2026-11-19");
  answer = { status: 200, body: report("2026-11-19") };
  await run();
  nowMs += 3_600_000;
  expect(await run()).toBe(0);
  expect(requests).toHaveLength(1);
  nowMs += 24 * 3_600_000;
  expect(await run()).toBe(1);
  nowMs += 10 * 24 * 3_600_000;
  expect(await run()).toBe(0);
  expect(requests).toHaveLength(2);
});

test("a failed query changes nothing and does not leak the token", async () => {
  await meter("2026-11-19");
  answer = { status: 200, body: { data: null, errors: [{ message: "not authorized" }] } };
  await expect(run()).rejects.toThrow("Cloudflare's analytics refused: not authorized");
  answer = { status: 502, body: "bad gateway" };
  const failure = await run().catch((error: unknown) => String(error));
  expect(failure).toContain("502");
  expect(failure).not.toContain("secret-token");
  expect((await readLedger(database, "2026-11-01")).reconciledDays.size).toBe(0);
});

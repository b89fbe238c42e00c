import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import {
  HISTORY_RANGES,
  historyRangeSchema,
  systemHistory,
  type HistoryRange,
} from "#contract/system-history.ts";
import { restartWorkers } from "#contract/system.ts";
import { sql } from "#service/db/sql.ts";
import { notificationEventIf, TEST_PREFIX } from "#service/changes/notification-event.ts";
import { openContext } from "#service/open-context.ts";
import { countRows } from "#service/testing/count-rows.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { VERSION } from "#service/version.ts";
import { createCopiedBytes } from "./copied-bytes.ts";
import { createHistorySampler, pruneHistory } from "./history-samples.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MiB = 1024 ** 2;

let vodkeep: TestService;
let admin: TestClient;
let sample: () => Promise<void>;

beforeEach(async () => {
  vodkeep = await startTestService();
  // Half a minute after a full hour, so that the tests' own seconds pass no boundary.
  vodkeep.clock.advance(HOUR_MS - (vodkeep.clock.now() % HOUR_MS) + 30_000);
  admin = await vodkeep.signIn(ADMIN);
  sample = createHistorySampler(vodkeep.platform);
});
afterEach(() => vodkeep.close());

async function history(range: HistoryRange) {
  return await admin.expect(systemHistory, `${systemHistory.path}?range=${range}`);
}

async function storePart(size: number) {
  const { context, copiedBytes } = openContext(vodkeep.platform, vodkeep.settings);
  const { objects } = context.platform;
  const handle = await objects.createMultipart(objectKeySchema.parse("vods/1/2/3.ts"), {
    contentType: "video/mp2t",
  });
  await objects.uploadPart(handle, 1, new Uint8Array(size));
  return copiedBytes;
}

function rowsOf(kind: string): Promise<number> {
  return countRows(vodkeep.platform.database, sql`system_history WHERE kind = ${kind}`);
}

test.each(historyRangeSchema.options)("without samples, a %s contains only gaps", async (range) => {
  const { startsAt, stepSec, marks, ...series } = await history(range);
  const { points } = HISTORY_RANGES[range];
  for (const values of Object.values(series)) expect(values).toEqual(Array(points).fill(null));
  expect({ stepSec, marks }).toEqual({ stepSec: HISTORY_RANGES[range].stepSec, marks: [] });
  const endMs = Date.parse(startsAt) + points * stepSec * 1_000;
  const sinceEndMs = vodkeep.clock.now() - endMs;
  expect(sinceEndMs).toBeLessThan(MINUTE_MS);
  expect(sinceEndMs).toBeGreaterThan(-stepSec * 1_000);
});

test("a sample contains the minute's failures and stored bytes, and the levels at its end", async () => {
  const { database, clock } = vodkeep.platform;
  const nowMs = clock.now();
  await seedUpload(database, { id: "running", status: "processing", atMs: nowMs });
  await seedUpload(database, { id: "due", atMs: nowMs - 4 * MINUTE_MS });
  await seedUpload(database, { id: "long-failed", status: "failed", atMs: nowMs - MINUTE_MS });
  await seedUpload(database, { id: "failed", status: "failed", atMs: nowMs });
  await database.run(sql`
    UPDATE uploads SET next_attempt_at = ${nowMs + HOUR_MS} WHERE id = 'running'`);
  await database.run(sql`
    INSERT INTO files (object_key, size_bytes, upload_type, status, content_type, last_modified_at)
    VALUES ('vods/a', 7000, 'twitch', 'complete', 'video/mp2t', 0)`);
  await (await storePart(6 * MiB)).flush();
  vodkeep.clock.advance(MINUTE_MS);
  await Promise.all([sample(), sample()]);
  await sample();
  const hour = await history("hour");
  expect({
    active: hour.activeUploads.at(-1),
    rate: hour.bytesPerSec.at(-1),
    stored: hour.storedBytes.at(-1),
    failed: hour.failedUploads.at(-1),
  }).toEqual({ active: 1, rate: (6 * MiB) / 60, stored: 7_000, failed: 1 });
  expect(hour.queueAgeSec.at(-1)).toBeGreaterThanOrEqual(300);
  expect(hour.queueAgeSec.at(-1)).toBeLessThan(360);
  expect(hour.activeUploads.slice(0, -1)).toEqual(Array(59).fill(null));
  expect(await rowsOf("minute")).toBe(1);
});

test("the minute before the process started is not sampled", async () => {
  const { platform, clock } = vodkeep;
  const startedAt = new Date(clock.now());
  const late = createHistorySampler({ ...platform, runtime: { ...platform.runtime, startedAt } });
  await late();
  expect(await rowsOf("minute")).toBe(0);
  vodkeep.clock.advance(MINUTE_MS);
  await late();
  expect(await rowsOf("minute")).toBe(1);
});

test("limits how often byte counts are written, and keeps them while the database is unavailable", async () => {
  let isAway = true;
  const { database } = vodkeep.platform;
  const copied = createCopiedBytes(
    {
      ...database,
      batch: (statements) =>
        isAway ? Promise.reject(new Error("away")) : database.batch(statements),
    },
    vodkeep.clock,
  );
  copied.add(5);
  await expect(copied.flush()).rejects.toThrow("away");
  isAway = false;
  await copied.flush();
  expect(await rowsOf("minute")).toBe(0);
  copied.add(6);
  await copied.flushAll();
  const [row] = await database.all(sql`SELECT copied_bytes FROM system_history`);
  expect(row).toEqual({ copied_bytes: 11 });
});

test("aggregates minutes into hours after a day, keeping sums and peaks, and prunes old hours", async () => {
  const { database, clock } = vodkeep.platform;
  const hourMs = clock.now() - (clock.now() % HOUR_MS);
  const rows = [
    ["hour", hourMs - 367 * 24 * HOUR_MS, 9],
    ["minute", hourMs - 40 * HOUR_MS, 3],
    ["minute", hourMs - 40 * HOUR_MS + MINUTE_MS, 5],
    ["minute", hourMs - 39 * HOUR_MS, 1],
    ["minute", hourMs - HOUR_MS, 2],
  ] as const;
  for (const [kind, at, value] of rows)
    await database.run(sql`
      INSERT INTO system_history (kind, at, active_uploads, copied_bytes, stored_bytes, failed_uploads,
        queue_age_ms)
      VALUES (${kind}, ${at}, ${value}, ${value * 36_000}, ${value}, ${value}, ${value * 1_000})`);
  for (let count = 0; count < 2; count += 1) await pruneHistory(database, clock.now());
  expect({ hours: await rowsOf("hour"), minutes: await rowsOf("minute") }).toEqual({
    hours: 2,
    minutes: 1,
  });
  const week = await history("week");
  const { activeUploads, bytesPerSec, failedUploads, queueAgeSec } = week;
  expect(
    [-40, -39, -1].map((index) =>
      [activeUploads, bytesPerSec, failedUploads, queueAgeSec].map((values) => values.at(index)),
    ),
  ).toEqual([
    [5, 80, 8, 5],
    [1, 10, 1, 1],
    [2, 20, 2, 2],
  ]);
});

test("marks starts, deployments, restarts and alerts once, even with concurrent samplers", async () => {
  const { database, clock, runtime } = vodkeep.platform;
  await database.run(sql`
    INSERT INTO system_history (kind, at, note) VALUES
      ('start', ${clock.now() - 3 * HOUR_MS}, ${VERSION}), ('start', ${clock.now() - 2 * HOUR_MS}, '0.9')`);
  await admin.expect(restartWorkers);
  const alert = {
    type: "service_unhealthy",
    subject: null,
    title: "Unhealthy: database",
    body: "",
    link: null,
  } as const;
  await database.run(notificationEventIf(alert, clock.now() + 1_000, sql`TRUE`));
  const ofTest = { ...alert, subject: `${TEST_PREFIX}1`, title: "Test: Service unhealthy" };
  await database.run(notificationEventIf(ofTest, clock.now() + 2_000, sql`TRUE`));
  await database.run(
    notificationEventIf({ ...alert, type: "upload_failed" }, clock.now(), sql`TRUE`),
  );
  vodkeep.clock.advance(MINUTE_MS);
  await Promise.all([sample(), createHistorySampler(vodkeep.platform)()]);
  const { marks } = await history("day");
  expect(marks.map(({ kind, detail }) => [kind, detail])).toEqual([
    ["start", VERSION],
    ["deployment", "0.9"],
    ["deployment", VERSION],
    ["restart", ""],
    ["alert", "Unhealthy: database"],
  ]);
  expect(marks[2]?.at).toBe(runtime.startedAt.toISOString());
});

test("keeps only the newest starts of a process that restarts repeatedly", async () => {
  const { database, clock } = vodkeep.platform;
  await database.run(sql`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
    INSERT INTO system_history (kind, at) SELECT 'start', ${clock.now()} - i FROM n`);
  await pruneHistory(database, clock.now());
  expect(await rowsOf("start")).toBe(200);
  expect((await history("hour")).marks).toHaveLength(50);
});

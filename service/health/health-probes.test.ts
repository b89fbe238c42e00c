import { afterEach, beforeEach, expect, test } from "vitest";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { startTestService, type TestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { createDiskWatch, probeDisk } from "./disk-probe.ts";
import { probe, recordAll } from "./health-probes.ts";
import { readHealth, recordProbes, type ProbeResult } from "./health-store.ts";
import { readVerdict } from "./health-verdict.ts";
import { COMPONENTS, type Component } from "./parts.ts";
import { judgeRecentEvents } from "./recent-events.ts";
import { createWorkerProbe } from "./worker-probe.ts";

let vodkeep: TestService;
let context: ServiceContext;

beforeEach(async () => {
  vodkeep = await startTestService();
  vodkeep.clock.stand();
  context = vodkeep.context;
});
afterEach(() => vodkeep.close());

const works = async (): Promise<ProbeResult> => ({ status: "healthy", detail: null });
const fails = async (): Promise<ProbeResult> => {
  throw new Error("The disk is full.");
};

async function probeStore(by: ServiceContext, run: () => Promise<ProbeResult>) {
  await recordAll(by, [await probe(by.platform.clock, "r2Storage", run)]);
}

async function status() {
  const { database, clock, runtime } = vodkeep.platform;
  return (await readHealth(database, runtime.startedAt, clock.now())).r2Storage.status;
}

async function alarms() {
  return await vodkeep.platform.database.all(
    sql`SELECT title, body FROM notification_events WHERE type = 'service_unhealthy'`,
  );
}

async function warnings() {
  return await vodkeep.platform.database.all(
    sql`SELECT body FROM notification_events WHERE type = 'disk_space_low'`,
  );
}

test("is degraded after one failure, unhealthy with one alert after two, healthy after a success", async () => {
  expect(await status()).toBe("unknown");
  const seen: string[] = [];
  for (const run of [works, fails, works, fails, fails, fails, works]) {
    await probeStore(context, run);
    seen.push(await status());
    vodkeep.clock.advance(15_000);
  }
  expect(seen).toEqual([
    "healthy",
    "degraded",
    "healthy",
    "degraded",
    "unhealthy",
    "unhealthy",
    "healthy",
  ]);
  expect(await alarms()).toEqual([
    { title: "Unhealthy: object storage", body: "The disk is full." },
  ]);
});

test("a slow component is degraded, and one that never responds counts as failed", async () => {
  await probeStore(context, async () => {
    vodkeep.clock.advance(1_500);
    return await works();
  });
  expect(await status()).toBe("degraded");
  const never = Promise.withResolvers<ProbeResult>();
  const hurried = {
    ...context,
    platform: { ...context.platform, clock: { ...vodkeep.clock, sleep: async () => {} } },
  };
  await probeStore(hurried, () => never.promise);
  await probeStore(hurried, () => never.promise);
  expect(await status()).toBe("unhealthy");
});

test("logs a persistent failure only once", async () => {
  for (const run of [fails, fails, fails]) await probeStore(context, run);
  expect(vodkeep.log().split("A health probe failed")).toHaveLength(2);
});

test("the status is unknown when the last probe is too old", async () => {
  await probeStore(context, works);
  vodkeep.clock.advance(91_000);
  expect(await status()).toBe("unknown");
});

test("the worker probe is healthy after a sweep, and fails after a minute without one", async () => {
  const workers = createWorkerProbe(vodkeep.clock);
  expect((await workers.probe()).status).toBe("unknown");
  workers.noteSweep();
  expect((await workers.probe()).status).toBe("healthy");
  vodkeep.clock.advance(61_000);
  await expect(workers.probe()).rejects.toThrow(/6\d s ago/);
  workers.noteSweep();
  expect((await workers.probe()).status).toBe("healthy");
});

test("warns once about low disk space before archives and uploads have to wait", async () => {
  const GIB = 1024 ** 3;
  let freeBytes = 0;
  const runtime = {
    ...context.platform.runtime,
    disks: async () => [{ freeBytes, sizeBytes: 1_000 * GIB }],
  };
  const onDisk = {
    ...context,
    platform: { ...context.platform, runtime },
    settings: { ...context.settings, STORAGE_RESERVE_GB: 2 },
  };
  const watchDisk = createDiskWatch(onDisk);
  async function probeWith(freeGiB: number): Promise<unknown> {
    freeBytes = freeGiB * GIB;
    await watchDisk();
    const { database, clock } = vodkeep.platform;
    await recordAll(onDisk, [await probe(clock, "disk", () => probeDisk(onDisk))]);
    return (await readHealth(database, runtime.startedAt, clock.now())).disk;
  }
  const low = "Less than 4 GB of disk space are free. Archives and uploads wait below 2 GB.";
  const held = "The disk is nearly full: less than 2 GB are free. Archives and uploads wait.";
  expect(await probeWith(5)).toEqual({ status: "healthy", detail: null });
  expect(await probeWith(3)).toEqual({ status: "degraded", detail: low });
  expect(await probeWith(4.1)).toEqual({ status: "healthy", detail: null });
  expect(await probeWith(3)).toEqual({ status: "degraded", detail: low });
  expect(await probeWith(1)).toEqual({ status: "degraded", detail: held });
  expect(await probeWith(1)).toEqual({ status: "unhealthy", detail: held });
  expect(await warnings()).toEqual([{ body: low }]);
  expect(await alarms()).toEqual([{ title: "Unhealthy: disk", body: held }]);

  await probeWith(5);
  await probeWith(3);
  expect(await warnings()).toHaveLength(2);
});

test.each([
  [{}, "healthy", []],
  [{ disk: "unknown", twitch: "unknown" }, "healthy", []],
  [{ d1Database: "unknown" }, "warning", ["Unknown: database. Why."]],
  [{ vodResumeQueue: "degraded" }, "warning", ["Degraded: VOD Resume Queue. Why."]],
  [
    { r2Storage: "unhealthy", disk: "degraded" },
    "unhealthy",
    ["Unhealthy: object storage. Why.", "Degraded: disk. Why."],
  ],
] as const)("the verdict on parts that are %j is %s", async (troubled, verdict, texts) => {
  const given: Partial<Record<Component, ProbeResult["status"]>> = troubled;
  const { database, clock } = vodkeep.platform;
  const results = COMPONENTS.map((component) => {
    const part = given[component] ?? "healthy";
    return { component, status: part, detail: part === "healthy" ? null : "Why." };
  });
  for (const _ of [1, 2]) await recordProbes(database, results, clock.now());
  const found = await readVerdict(vodkeep);
  expect(found).toMatchObject({ status: verdict, reasons: texts.map((text) => ({ text })) });
  expect(found.reasons).toHaveLength(texts.length);
});

test("failures of a week, a nearly full store, stalls and lost messages need attention while they last", async () => {
  const { database, clock } = vodkeep.platform;
  const limited = { ...vodkeep.context, settings: { ...vodkeep.settings, STORAGE_CAPACITY_GB: 1 } };
  const problems = async () =>
    (await judgeRecentEvents(limited)).flatMap(({ detail }) => detail ?? []);
  const failUploads = async (from: number, to: number, atMs: number) => {
    for (let index = from; index < to; index += 1)
      await seedUpload(database, { id: `failed-${index}`, status: "failed", atMs });
  };
  await failUploads(0, 10, clock.now() - 6 * 86_400_000);
  await failUploads(10, 30, clock.now() - 8 * 86_400_000);
  expect(await problems()).toEqual([]);
  await failUploads(30, 31, clock.now());
  await seedUpload(database, { id: "stalled", status: "processing" });
  await database.run(sql`UPDATE uploads SET stalled_at = 1 WHERE id = 'stalled'`);
  await database.run(sql`
    INSERT INTO files (object_key, size_bytes, upload_type, status, content_type, last_modified_at)
    VALUES ('vods/a', ${0.81 * 1024 ** 3}, 'twitch', 'complete', 'video/mp2t', 0)`);
  await database.batch([
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('1', 'one', 'One', 0)`,
    sql`INSERT INTO notification_events (seq, type, title, body, created_at)
      VALUES (1, 'service_unhealthy', 'Unhealthy', '', 0)`,
    sql`INSERT INTO notification_deliveries
        (event_seq, receiver, channel, status, attempts, due_at, result, created_at)
      VALUES (1, '1', 'email', 'pending', 3, 0, 'The mail server refuses the password.', 0)`,
  ]);
  expect(await problems()).toEqual([
    "R2 utilization is 81.0%, above 80%.",
    "More than 10 uploads failed within a week. An archive is stalled.",
    "Messages cannot be delivered. The mail server refuses the password.",
  ]);
  await database.run(sql`DELETE FROM uploads WHERE id = 'failed-30'`);
  expect(await problems()).toContain("An archive is stalled.");
  vodkeep.clock.advance(7 * 86_400_000);
  await database.batch([
    sql`UPDATE uploads SET stalled_at = NULL`,
    sql`DELETE FROM files`,
    sql`UPDATE notification_deliveries SET status = 'delivered'`,
  ]);
  // Nothing makes backups here, and on Cloudflare none are needed.
  const isBackedUp = vodkeep.platform.snapshots === undefined;
  expect(await problems()).toEqual(isBackedUp ? [] : ["No backup was made for two days."]);
});

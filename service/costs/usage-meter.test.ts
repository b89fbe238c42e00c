import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { migrate } from "#service/db/migrate.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import { firstMeteredDay, readLedger } from "./usage-ledger.ts";
import { createUsageMeter } from "./usage-meter.ts";

let database: SqliteDatabase;
let nowMs: number;
const clock: Clock = { ...systemClock, now: () => nowMs, monotonic: () => nowMs };

beforeEach(async () => {
  nowMs = Date.parse("2026-11-20T12:00:00Z");
  database = openSqliteDatabase(":memory:");
  await migrate(database, nowMs);
});

afterEach(() => database.close());

async function usageOf(day: string) {
  const ledger = await readLedger(database, "2026-01-01");
  return ledger.days.find((entry) => entry.day === day)?.usage;
}

test("counts add up across flushes and meters, and peaks keep the highest value", async () => {
  const [one, other] = [
    createUsageMeter({ database, clock }),
    createUsageMeter({ database, clock }),
  ];
  one.count("classAOperations", 3);
  one.observe("storedBytesPeak", 500);
  await one.flushAll();
  one.count("classAOperations");
  one.observe("storedBytesPeak", 200);
  other.count("classAOperations", 10);
  await Promise.all([one.flushAll(), other.flushAll(), one.flushAll()]);
  expect(await usageOf("2026-11-20")).toMatchObject({ classAOperations: 14, storedBytesPeak: 500 });
});

test("usage before midnight counts for that day even if it is flushed later", async () => {
  const meter = createUsageMeter({ database, clock });
  nowMs = Date.parse("2026-11-30T23:59:59.999Z");
  meter.count("queueOperations", 3);
  nowMs = Date.parse("2026-12-01T00:00:00.000Z");
  meter.count("queueOperations", 6);
  await meter.flushAll();
  expect((await usageOf("2026-11-30"))?.queueOperations).toBe(3);
  expect((await usageOf("2026-12-01"))?.queueOperations).toBe(6);
  expect(await firstMeteredDay(database)).toBe("2026-11-30");
});

test("the level at midnight carries over to the new day", async () => {
  const meter = createUsageMeter({ database, clock });
  meter.observe("storedBytesPeak", 900);
  meter.observe("storedBytesPeak", 400);
  nowMs = Date.parse("2026-11-21T00:00:01Z");
  meter.count("workerRequests");
  await meter.flushAll();
  expect((await usageOf("2026-11-20"))?.storedBytesPeak).toBe(900);
  expect((await usageOf("2026-11-21"))?.storedBytesPeak).toBe(400);
});

test("a failed flush loses nothing and counts nothing twice", async () => {
  let isBroken = true;
  const flaky: Database = {
    ...database,
    async batch(statements) {
      if (isBroken) throw new Error("disk full");
      return await database.batch(statements);
    },
  };
  const meter = createUsageMeter({ database: flaky, clock });
  meter.count("kvReads", 5);
  meter.observe("databaseBytesPeak", 70);
  await expect(meter.flushAll()).rejects.toThrow("disk full");
  meter.count("kvReads", 2);
  isBroken = false;
  await meter.flushAll();
  await meter.flushAll();
  expect(await usageOf("2026-11-20")).toMatchObject({ kvReads: 7, databaseBytesPeak: 70 });
});

test("without requests, counts are written at most once a minute", async () => {
  const meter = createUsageMeter({ database, clock });
  const countAndFlush = async (flow: "rowsRead" | "workerRequests") => {
    meter.count(flow, 1_000);
    await meter.flush();
    return (await usageOf("2026-11-20"))?.[flow] ?? 0;
  };
  await countAndFlush("rowsRead");
  const first = await countAndFlush("rowsRead");
  nowMs += 60_000;
  expect(first).toBeLessThan(2_000);
  expect(await countAndFlush("rowsRead")).toBeGreaterThan(3_000);
  expect(await countAndFlush("workerRequests")).toBe(1_000);
});

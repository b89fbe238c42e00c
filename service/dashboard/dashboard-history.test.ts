import { afterAll, expect, onTestFinished, test } from "vitest";
import { dashboardHistory } from "#contract/dashboard.ts";
import { HISTORY_DAYS } from "#contract/limits.ts";
import { addMeteredUsage } from "#service/costs/usage-ledger.ts";
import { NO_USAGE } from "#service/costs/usage.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

const DAY_MS = 86_400_000;

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
const nowMs = vodkeep.clock.now();
const { database } = vodkeep.platform;
const seeds = [
  ["two weeks before", 14, "failed", "early"],
  ["a week before", 7, "failed", "late"],
  ["a week before, too", 7, "completed", "late"],
  ["today", 0, "failed", "late"],
] as const;
for (const [id, daysAgo, status, ownerId] of seeds)
  await seedUpload(database, {
    id: id.replaceAll(/\W/g, "-"),
    status,
    ownerId,
    atMs: nowMs - daysAgo * DAY_MS,
  });
const threeDaysAgo = new Date(nowMs - 3 * DAY_MS).toISOString().slice(0, 10);
const usage = { ...NO_USAGE, storedBytesPeak: 5_000 };
await database.run(addMeteredUsage(threeDaysAgo, usage, nowMs));
afterAll(() => vodkeep.close());

function at(daysAgo: number): number {
  return HISTORY_DAYS - 1 - daysAgo;
}

async function uploadsOfToday() {
  return (await admin.expect(dashboardHistory)).uploads?.[at(0)];
}

test("each series counts the rows per day, with today last", async () => {
  const history = await admin.expect(dashboardHistory);
  expect(history.today).toBe(new Date(nowMs).toISOString().slice(0, 10));
  const zeros = Array<number>(HISTORY_DAYS).fill(0);
  expect(history.uploads).toEqual(zeros.with(at(7), 2).with(at(0), 1));
  expect(history.failed).toEqual(zeros.with(at(7), 1).with(at(0), 1));
  // One user existed all the time, the second joined a week ago, the administrator today.
  expect([13, 8, 7, 1, 0].map((daysAgo) => history.users?.[at(daysAgo)])).toEqual([1, 1, 2, 2, 3]);
  expect(history.storedBytes).toEqual(Array(HISTORY_DAYS).fill(null).with(at(3), 5_000));
});

test("the history is cached and counted again once the cache is cleared", async () => {
  await seedUpload(vodkeep.platform.database, { id: "new", atMs: nowMs });
  expect(await uploadsOfToday()).toBe(1);
  await vodkeep.platform.cache.clear();
  expect(await uploadsOfToday()).toBe(2);
});

test("a series is null for users who lack its permission", async () => {
  const reader = await vodkeep.signInWith((await vodkeep.twitch.control.addAccount()).id, [
    "read:users",
  ]);
  expect(await reader.expect(dashboardHistory)).toMatchObject({
    uploads: null,
    failed: null,
    storedBytes: null,
    users: expect.any(Array),
  });
  const { id } = await vodkeep.twitch.control.addAccount();
  const browser = await vodkeep.signInWith(id, ["read:uploads"]);
  expect(await browser.expect(dashboardHistory)).toMatchObject({
    storedBytes: expect.any(Array),
    users: null,
  });
});

test("days before the first account have no values", async () => {
  const fresh = await startTestService();
  onTestFinished(() => fresh.close());
  const history = await (await fresh.signIn(ADMIN)).expect(dashboardHistory);
  const nothing = Array<number | null>(HISTORY_DAYS).fill(null);
  expect(history.users).toEqual(nothing.with(at(0), 1));
  expect(history.uploads).toEqual(nothing.with(at(0), 0));
});

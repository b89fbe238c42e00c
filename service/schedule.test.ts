import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { createService } from "#service/app.ts";
import { createManualClock, type ManualClock } from "#hosts/node/testing/manual-clock.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { notificationEventIf } from "#service/changes/notification-event.ts";
import { LOOK_EVERY_MS } from "#service/db/pending-work.ts";
import { sql } from "#service/db/sql.ts";
import { plan, take } from "#service/jobs/jobs.ts";
import type { Platform } from "#service/platform.ts";
import type { Database } from "#service/ports/database.ts";
import type { WakeUp } from "#service/ports/resume-queue.ts";
import { planRemoval } from "#service/storage/store-removals.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

/**
 * The round trips that background tasks make to the database while there is nothing to do. On D1
 * each one takes time, and its rows are billed. Of the tasks that look for work, the first one reads
 * for all (db/pending-work.ts). `LEDGER=write` records the current numbers.
 */
const LEDGER = new URL("../hosts/cloudflare/idle-ledger.json", import.meta.url);
const MAX_ROUND_TRIPS_PER_DAY = 100_000;

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const ledgerSchema = z.record(
  z.string(),
  z.object({ everySec: z.number(), roundTripsPerDay: z.number() }),
);

type Task = {
  readonly name: string;
  readonly intervalMs: number;
  readonly run: () => Promise<void>;
  dueMs: number;
  runs: number;
  roundTrips: number;
};

let clock: ManualClock;
let uncounted: Database;
let vodkeep: TestService;
let tasks: Task[];
let roundTrips: number;
let woken: WakeUp[];
let mails: string[];
beforeEach(async () => {
  clock = createManualClock(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
  [tasks, roundTrips, woken, mails] = [[], 0, [], []];
  vodkeep = await startTestService({
    changePlatform: (platform) => ({
      ...keepUncounted(platform),
      // As on D1: a backup that is due is work to do.
      snapshots: undefined,
      clock,
      database: counting(platform.database),
      runtime: { ...platform.runtime, isSoleWriter: false },
      queue: {
        ...platform.queue,
        async send(wakeUp) {
          woken.push(wakeUp);
          // Another process runs them meanwhile.
          if ("kind" in wakeUp) void vodkeep.service.consume(wakeUp);
        },
      },
      mail: { send: async ({ to }) => void mails.push(to), verify: () => Promise.resolve() },
      scheduler: {
        every: (intervalMs, name, run) =>
          tasks.push({ name, intervalMs, run, dueMs: clock.now(), runs: 0, roundTrips: 0 }),
      },
    }),
  });
  vodkeep.service.start({ streams: false, tasks: true });
});
afterEach(() => vodkeep.close());

function keepUncounted(platform: Platform): Platform {
  uncounted = platform.database;
  return platform;
}

function counting(database: Database): Database {
  return {
    ...database,
    all(statement) {
      roundTrips += 1;
      return database.all(statement);
    },
    run(statement, options) {
      roundTrips += 1;
      return database.run(statement, options);
    },
    batch(statements, options) {
      roundTrips += 1;
      return database.batch(statements, options);
    },
  };
}

const RUNNING = sql`jobs WHERE lease_until IS NOT NULL`;

/** They go on after their round has begun them. */
async function jobsEnd(): Promise<void> {
  let seen = 0;
  await vi.waitUntil(
    async () => {
      const isQuiet = seen === roundTrips && (await countRows(uncounted, RUNNING)) === 0;
      seen = roundTrips;
      return isQuiet;
    },
    { interval: 20, timeout: 180_000 },
  );
}

async function runTask(task: Task): Promise<void> {
  const before = roundTrips;
  task.dueMs += task.intervalMs;
  await task.run();
  if (task.name === "jobs" && roundTrips > before + 1) await jobsEnd();
  task.runs += 1;
  task.roundTrips += roundTrips - before;
}

/** Runs the tasks that become due, one at a time, so that each round trip belongs to one. */
async function pass(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += SECOND_MS) {
    clock.pass(SECOND_MS);
    for (const task of tasks) if (task.dueMs <= clock.now()) await runTask(task);
  }
}

test("no background task exceeds its round trips recorded in the ledger while there is nothing to do", async () => {
  // The first runs also look for what an earlier process left.
  await pass(120 * SECOND_MS);
  for (const task of tasks) Object.assign(task, { runs: 0, roundTrips: 0 });
  await pass(HOUR_MS);
  for (const task of tasks) if (task.runs === 0) await runTask(task);
  const measured = Object.fromEntries(
    tasks.map((task) => {
      const roundTripsPerDay = task.roundTrips * (DAY_MS / Math.max(task.intervalMs, HOUR_MS));
      return [task.name, { everySec: task.intervalMs / SECOND_MS, roundTripsPerDay }];
    }),
  );
  if (process.env["LEDGER"] === "write") {
    const lines = Object.entries(measured).map(
      ([name, { everySec, roundTripsPerDay }]) =>
        `  "${name}": { "everySec": ${everySec}, "roundTripsPerDay": ${roundTripsPerDay} }`,
    );
    writeFileSync(LEDGER, `{\n${lines.join(",\n")}\n}\n`);
  }
  const ledger = ledgerSchema.parse(JSON.parse(readFileSync(LEDGER, "utf8")));
  const grown = Object.entries(measured).filter(
    ([name, { roundTripsPerDay }]) => roundTripsPerDay > (ledger[name]?.roundTripsPerDay ?? -1),
  );
  expect(grown).toEqual([]);
  const total = Object.values(measured).reduce((sum, task) => sum + task.roundTripsPerDay, 0);
  expect(total).toBeLessThanOrEqual(MAX_ROUND_TRIPS_PER_DAY);
});

test("what a crashed process held is free once the next one starts", async () => {
  const { platform, settings } = vodkeep;
  await platform.database.run(plan("cancel", "1", 0));
  expect(await take(platform, "cancel", 1)).toHaveLength(1);
  const runtime = { ...platform.runtime, isSoleWriter: true };
  await createService({ ...platform, runtime }, settings);
  expect(await take(platform, "cancel", 1)).toHaveLength(1);
});

test("the tasks that look for work find it within two rounds", async () => {
  const { database } = vodkeep.platform;
  const nowMs = clock.now();
  const entry = auditEntry({ atMs: nowMs, actorId: null, action: "test.seal" });
  await database.run(entry);
  await pass(LOOK_EVERY_MS);
  await seedUpload(database, { id: "waiting", ownerId: ADMIN });
  await database.batch([
    planRemoval({ key: objectKeySchema.parse("vods/1/1.ts"), multipartId: null }, nowMs, sql`TRUE`),
    plan("cancel", "gone", nowMs),
    plan("reindex", "gone", nowMs),
    entry,
    sql`UPDATE users SET permissions = '["read:uploads"]' WHERE id = ${ADMIN}`,
    sql`INSERT INTO notification_preferences (user_id, email, enabled_events, updated_at)
      VALUES (${ADMIN}, 'admin@example.com', '{"upload_failed":["email"]}', 0)`,
    notificationEventIf(
      { type: "upload_failed", subject: null, title: "Failed", body: "", link: null },
      nowMs,
      sql`TRUE`,
    ),
  ]);
  await pass(2 * LOOK_EVERY_MS);
  expect(woken).toContainEqual({ uploadId: "waiting" });
  expect(mails).toEqual(["admin@example.com"]);
  const planned = sql`jobs WHERE kind IN ('removal', 'cancel', 'reindex')`;
  await expect.poll(() => countRows(database, planned)).toBe(0);
  expect(await countRows(database, sql`audit WHERE seal IS NULL`)).toBe(0);
});

import { afterAll, expect, test } from "vitest";
import { listAudit } from "#contract/audit.ts";
import { confirmClock } from "#contract/system.ts";
import { createService, type Service } from "#service/app.ts";
import { sql } from "#service/db/sql.ts";
import type { SetupHost } from "#service/ports/setup-host.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { readVerdict } from "#service/health/health-verdict.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The scheduled tasks of the running process, run by these tests alone. */
const tasks = new Map<string, () => Promise<void>>();

/** What Twitch's clock shows; null while Twitch does not answer. */
let twitchMs: number | null = null;

const vodkeep = await startTestService({
  changePlatform: (opened) => ({
    ...opened,
    scheduler: { every: (_intervalMs, name, run) => void tasks.set(name, run) },
    async fetch(url, init) {
      if (!url.endsWith("/oauth2/validate")) return await opened.fetch(url, init);
      if (twitchMs === null) throw new TypeError("no network");
      return new Response("{}", {
        status: 401,
        headers: { date: new Date(twitchMs).toUTCString() },
      });
    },
  }),
});
const { clock, platform } = vodkeep;
const { database } = platform;
let process: Service = vodkeep.service;
process.start();
afterAll(async () => {
  await process.stop();
  await vodkeep.close();
});

async function restart(setup?: SetupHost) {
  await process.stop();
  tasks.clear();
  process = await createService({ ...platform, ...(setup && { setup }) }, vodkeep.settings);
  process.start();
}

const RETAINED = [
  "audit WHERE action = 'a'",
  "logs WHERE message = 'a'",
  "notification_events WHERE title = 'a'",
  "sessions WHERE id = 'old'",
  "system_history WHERE kind = 'hour' AND copied_bytes = 7",
  "uploads WHERE status <> 'failed'",
  "files WHERE trash_until IS NULL",
  "files WHERE trash_until IS NOT NULL",
];

/** All tasks: whatever removes data is among them. */
async function runTasks(): Promise<void> {
  await database.run(sql`UPDATE deployment SET scan_ended_at = ${clock.now()}`);
  for (const run of tasks.values()) await run();
}

async function counts(): Promise<readonly number[]> {
  return await Promise.all(RETAINED.map((from) => countRows(database, { sql: from, values: [] })));
}

async function clockReasons() {
  const { reasons } = await readVerdict({ platform });
  return reasons.filter(({ part }) => part === "clock");
}

test("nothing is removed by a clock that nobody confirmed, however often the service starts", async () => {
  const nowMs = clock.now();
  await database.batch(
    [9, 8, 7, 6, 5].map(
      (ago) =>
        sql`INSERT INTO audit (at, action, result) VALUES (${nowMs - ago * DAY_MS}, 'a', 'done')`,
    ),
  );
  await vodkeep.signIn(ADMIN);
  await database.batch([
    sql`INSERT INTO system_history (kind, at, copied_bytes) VALUES ('hour', ${nowMs - HOUR_MS}, 7)`,
    sql`INSERT INTO logs (at, level, message) VALUES (${nowMs}, 'info', 'a')`,
    sql`INSERT INTO notification_events (created_at, dispatched_at, type, title, body)
      VALUES (${nowMs}, ${nowMs}, 'upload_failed', 'a', 'a')`,
    sql`INSERT INTO sessions 
        (id, user_id, cookie_hash, bearer_hash, bearer_expires_at, created_at, last_seen_at, expires_at)
      VALUES ('old', ${ADMIN}, 'a', 'a', ${nowMs}, ${nowMs}, ${nowMs}, ${nowMs + DAY_MS})`,
    sql`UPDATE deployment SET default_rule = '{"retention":{"keep":"days","days":30}}', default_rule_author_id = ${ADMIN}`,
  ]);
  await seedUpload(database, { id: "unfinished", status: "processing", ownerId: STREAMER });
  await database.batch([
    sql`UPDATE uploads SET kind = 'manual', stored_bytes = 1, source_bytes = 2,
      updated_at = ${nowMs}, expires_at = ${nowMs + DAY_MS}, part_size_bytes = 8`,
    sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
      VALUES (${STREAMER}, 0, ${ADMIN}, ${ADMIN})`,
  ]);
  for (const [key, ageDays] of [
    ["old", 60],
    ["new", 1],
  ] as const)
    await seedFile(platform, {
      key: `vods/${STREAMER}/1/${key}.ts`,
      userId: STREAMER,
      bytes: new Uint8Array(9),
      recordedAtMs: nowMs - ageDays * DAY_MS,
    });
  await runTasks();
  const before = await counts();
  expect(before).toEqual([5, 1, 1, 1, 1, 1, 1, 1]);
  expect(await clockReasons()).toEqual([]);

  clock.jump(400 * DAY_MS);
  twitchMs = nowMs;
  for (const _start of ["none", "first", "second"]) {
    for (let minutes = 0; minutes < 120; minutes += 20) {
      await runTasks();
      expect(await counts()).toEqual(before);
      clock.advance(20 * MINUTE_MS);
    }
    await vodkeep.signIn(ADMIN);
    twitchMs = null;
    await restart();
  }
  await runTasks();
  const shown = new Date(clock.now()).toISOString().slice(0, 10);
  expect(await clockReasons()).toEqual([
    {
      part: "clock",
      status: "degraded",
      text: expect.stringMatching(
        `^Degraded: clock\\. It shows ${shown} .+ trusted last at ${new Date(nowMs).toISOString().slice(0, 10)} `,
      ),
    },
  ]);

  twitchMs = clock.now();
  clock.advance(10 * MINUTE_MS);
  twitchMs += 10 * MINUTE_MS;
  await runTasks();
  // Of the five days in the audit log, the oldest one; of the files, none: the service has not run for two weeks.
  expect(await counts()).toEqual([4, 0, 0, 0, 0, 0, 0, 2]);
  await database.run(sql`
    WITH RECURSIVE hours AS (SELECT 1 AS ago UNION ALL SELECT ago + 1 FROM hours WHERE ago < 14 * 24)
    INSERT INTO system_history (kind, at) SELECT 'hour', ${clock.now()} - ago * ${HOUR_MS} FROM hours`);
  await runTasks();
  expect((await counts()).at(-1)).toBe(1);
  expect(await clockReasons()).toEqual([]);
});

/** An hour that is too old. */
async function addHour() {
  await database.run(
    sql`INSERT INTO system_history (kind, at, copied_bytes) VALUES ('hour', ${clock.now() - 900 * DAY_MS}, 8)`,
  );
}

test("an administrator may confirm the clock, until it jumps again", async () => {
  const admin = await vodkeep.signIn(ADMIN);
  twitchMs = null;
  await restart();
  await runTasks();
  const removable = "system_history WHERE kind = 'hour' AND copied_bytes = 8";
  const removed = async () => (await countRows(database, { sql: removable, values: [] })) === 0;
  for (const jumpMs of [11 * MINUTE_MS, -11 * MINUTE_MS]) {
    await addHour();
    clock.jump(jumpMs);
    await runTasks();
    expect(await removed()).toBe(false);
    expect(await clockReasons()).toHaveLength(1);
    await admin.expect(confirmClock);
    expect(await clockReasons()).toEqual([]);
    await runTasks();
    expect(await removed()).toBe(true);
  }
  await admin.expect(confirmClock);
  const { items } = await admin.expect(listAudit, `${listAudit.path}?action=clock.confirm`);
  expect(items).toHaveLength(2);
  expect(items[0]).toMatchObject({ after: { confirmedAt: expect.any(String) } });
});

test.each([
  ["an hour", HOUR_MS, true],
  ["a year", 365 * DAY_MS, false],
])("a start after %s without a look at the clock may remove: %s", async (_what, pauseMs, may) => {
  await (await vodkeep.signIn(ADMIN)).expect(confirmClock);
  await runTasks();
  clock.jump(pauseMs);
  await restart();
  await runTasks();
  expect(await clockReasons()).toHaveLength(may ? 0 : 1);
});

test("the stand-in, which runs by the same clock, does not confirm it", async () => {
  await (await vodkeep.signIn(ADMIN)).expect(confirmClock);
  clock.jump(365 * DAY_MS);
  twitchMs = clock.now();
  for (const [credentials, reasons] of [
    ["none", 1],
    ["stored", 0],
  ] as const) {
    await restart({
      credentials,
      code: "",
      twitchIdUrl: "",
      storeCredentials: () => Promise.reject(new Error("Nothing is stored in this test")),
      close: () => undefined,
    });
    await runTasks();
    expect(await clockReasons()).toHaveLength(reasons);
  }
});

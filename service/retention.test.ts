import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { createRetention } from "./retention.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const JUMP_MS = 400 * DAY_MS;

/** The scheduled tasks, run by these tests alone. */
const tasks = new Map<string, () => Promise<void>>();

const vodkeep = await startTestService({
  changePlatform: (platform) => ({
    ...platform,
    scheduler: { every: (_intervalMs, name, run) => void tasks.set(name, run) },
  }),
});
const { clock, platform } = vodkeep;
const { database } = platform;
vodkeep.service.start();
afterAll(() => vodkeep.close());

const RETAINED = [
  "audit WHERE action = 'a'",
  "logs WHERE message = 'a'",
  "notification_events WHERE title = 'a'",
  "sessions",
  "system_history WHERE kind = 'hour'",
  "manual_uploads m JOIN uploads u ON u.id = m.upload_id WHERE u.status <> 'failed'",
];

async function runTasks(): Promise<void> {
  for (const name of ["audit retention", "session purge", "notifications: prune", "log retention"])
    await tasks.get(name)?.();
  await tasks.get("manual uploads")?.();
}

async function counts(): Promise<readonly number[]> {
  return await Promise.all(RETAINED.map((from) => countRows(database, { sql: from, values: [] })));
}

it("nothing is removed in the hour after a jump of the clock, and then a day of the audit log", async () => {
  const nowMs = clock.now();
  await database.batch([
    ...[9, 8, 7, 6, 5].map(
      (ago) =>
        sql`INSERT INTO audit (at, action, result) VALUES (${nowMs - ago * DAY_MS}, 'a', 'done')`,
    ),
    sql`INSERT INTO audit (at, action, result) VALUES (${nowMs}, 'a', 'done')`,
    sql`INSERT INTO system_history (kind, at) VALUES ('hour', ${nowMs})`,
    sql`INSERT INTO logs (at, level, message) VALUES (${nowMs}, 'info', 'a')`,
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('7', 'a', 'A', 1)`,
    sql`INSERT INTO notification_events (created_at, dispatched_at, type, title, body)
      VALUES (${nowMs}, ${nowMs}, 'upload_failed', 'a', 'a')`,
  ]);
  await vodkeep.signIn("1002");
  await seedUpload(database, { id: "unfinished", status: "processing" });
  await database.batch([
    sql`UPDATE uploads SET kind = 'manual', stored_bytes = 1, source_bytes = 2, updated_at = ${nowMs}`,
    sql`INSERT INTO manual_uploads (upload_id, expires_at, part_size_bytes)
      VALUES ('unfinished', ${nowMs + DAY_MS}, 8)`,
  ]);
  await runTasks();
  const before = await counts();
  expect(before).toEqual([6, 1, 1, 1, 1, 1]);
  clock.jump(JUMP_MS);
  for (let minutes = 0; minutes < 60; minutes += 20) {
    await runTasks();
    expect(await counts()).toEqual(before);
    clock.advance(20 * MINUTE_MS);
  }
  await runTasks();
  // Of the five days in the audit log, the oldest one.
  expect(await counts()).toEqual([5, 0, 0, 0, 0, 0]);
});

it.each([
  ["an hour", 60 * MINUTE_MS, true],
  ["a year", 365 * DAY_MS, false],
])(
  "a start %s after the newest record may remove at once: %s",
  async (_what, pauseMs, isAllowed) => {
    await database.run(sql`
    INSERT INTO audit (at, action, result) VALUES (${clock.now() - pauseMs}, 'b', 'done')`);
    const retention = createRetention(platform);
    let runs = 0;
    const remove = async () => void (runs += 1);
    await retention.run(remove);
    expect(runs).toBe(isAllowed ? 1 : 0);
    clock.advance(61 * MINUTE_MS);
    await retention.run(remove);
    expect(runs).toBe(isAllowed ? 2 : 1);
  },
);

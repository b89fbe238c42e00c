import { expect, test } from "vitest";
import { uploadWork, listUploads } from "#contract/uploads.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { sql } from "#service/db/sql.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { startTestService } from "#service/testing/test-service.ts";

const DAY_MS = 24 * 3_600_000;

test("the work is counted, timed and placed as the archiver takes it", async () => {
  const vodkeep = await startTestService();
  const { database, clock, runtime } = vodkeep.platform;
  const admin = await vodkeep.signInWith(
    (await vodkeep.twitch.control.addAccount()).id,
    PERMISSIONS,
  );
  const nowMs = clock.now();
  const seeds: readonly (readonly [string, string, string])[] = [
    ["slow", "processing", "1"],
    ["quick", "processing", "1"],
    ["crashed", "processing", "1"],
    ["first", "pending", "2"],
    ["second", "pending", "2"],
    ["other", "pending", "3"],
    ["held", "pending", "3"],
  ];
  // In the order of their times, as real ones are.
  await seedUpload(database, { id: "yesterday", status: "failed", atMs: nowMs - DAY_MS });
  await seedUpload(database, { id: "today", status: "failed", atMs: nowMs });
  for (const [id, status, ownerId] of seeds)
    await seedUpload(database, {
      id,
      status: status === "pending" ? "pending" : "processing",
      ownerId,
    });
  await database.batch([
    sql`UPDATE uploads SET phase = 'copying', source_bytes = 10000, duration_sec = 100,
        speed_bytes_per_sec = 50, lease_owner = 'other', lease_until = ${nowMs + 60_000}
      WHERE status = 'processing'`,
    sql`UPDATE uploads SET speed_bytes_per_sec = 150 WHERE id = 'quick'`,
    sql`UPDATE uploads SET lease_until = ${nowMs - 1} WHERE id = 'crashed'`,
    sql`UPDATE uploads SET duration_sec = 50 WHERE status = 'pending'`,
    sql`UPDATE uploads SET duration_sec = NULL WHERE id = 'second'`,
    sql`UPDATE uploads SET next_attempt_at = ${nowMs + 60_000}, error_message = 'The store is away.'
      WHERE id = 'held'`,
    sql`UPDATE uploads SET danger_at = ${nowMs + DAY_MS} WHERE id IN ('first', 'other')`,
    // Two that a rule has still to hand over, and one that it leaves out.
    sql`INSERT INTO vods (vod_id, owner_id, kind, title, recorded_at, first_seen_at, last_seen_at, decision, next_start_at)
      SELECT value, '1', 'archive', 'A', 0, 0, 0, iif(value = '9', 'leave', 'take'), iif(value = '9', NULL, 0)
      FROM json_each('["7","8","9"]')`,
  ]);

  const busy = runtime.isSoleWriter ? "both slots are busy" : "all slots are busy";
  const work = await admin.expect(uploadWork);
  expect(work).toMatchObject({
    running: 2,
    waiting: 7,
    failedToday: 1,
    bytesPerSecond: 200,
    // Three of 10,000 bytes, and three of 50 s at 100 bytes a second; or the slowest alone.
    secondsLeft: Math.max((30_000 + 15_000) / 200, 10_000 / 50),
    unknownLengths: 3,
  });
  const dayStart = new Date(nowMs - DAY_MS).toISOString();
  expect(await admin.expect(uploadWork, `/admin/uploads/work?dayStart=${dayStart}`)).toMatchObject({
    failedToday: 2,
  });
  expect(work.uploads.map(({ id, errorMessage }) => [id, errorMessage])).toEqual([
    ["quick", null],
    ["slow", null],
    ["crashed", `Waiting, place 1 of 4: ${busy}.`],
    ["first", `Waiting, place 2 of 4: ${busy}.`],
    ["other", `Waiting, place 3 of 4: ${busy}.`],
    ["second", `Waiting, place 4 of 4: ${busy}.`],
  ]);
  await database.run(sql`UPDATE uploads SET is_live = 1 WHERE id IN ('slow', 'crashed')`);
  expect(await admin.expect(uploadWork)).toMatchObject({ running: 1, live: 2, waiting: 6 });
  expect(work.uploads[2]).toMatchObject({ phase: "waiting", uploadSpeed: null, queuePlace: 1 });

  const { items } = await admin.expect(listUploads);
  expect(items.find(({ id }) => id === "other")).toMatchObject({ queuePlace: 3 });
  expect(items.find(({ id }) => id === "held")).toMatchObject({
    errorMessage: "The store is away.",
  });
  await vodkeep.close();
});

import { expect, test } from "vitest";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { pageFiles } from "#service/files/file-list.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { NEVER_MS } from "#service/system/clock-watch.ts";
import { pageUploads } from "#service/uploads/upload-list.ts";
import { makeDemoVods } from "#stand-ins/twitch/catalog/demo-vods.ts";
import { makeScenarioVods } from "#stand-ins/twitch/catalog/scenario-vods.ts";
import { seedRows } from "./seed-rows.ts";

/** In 2001. */
const NOW_MS = 1e12;

const PAGE = { page: 1, limit: 20, sortOrder: "desc" } as const;

test("seeding fills every list, leaves nothing due, and adds nothing the second time", async () => {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  for (let run = 0; run < 2; run += 1) {
    await seedRows(database, { users: 30, uploads: 1_500, files: 1_200 }, NOW_MS, () => {});
    const uploads = await pageUploads(database, {
      ...PAGE,
      sortBy: "startedAt",
      search: "speedrun",
    });
    expect(uploads.items).toHaveLength(20);
    expect(uploads.total).toBeGreaterThan(100);
    const [sums] = await database.all(sql`
      SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM uploads) AS uploads,
        (SELECT count(*) FROM uploads WHERE status IN ('pending', 'processing')
          AND next_attempt_at < ${NEVER_MS}) AS due`);
    expect(sums).toEqual({ users: 30, uploads: 1_500, due: 0 });
    const files = await pageFiles(database, { ...PAGE, limit: 25, sortBy: "user" });
    expect(files.summary.totalFiles).toBe(1_200);
  }
  await database.close();
});

test("no seeded upload is of a VOD that the stand-in has", async () => {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  await seedRows(database, { users: 1, uploads: 2_000, files: 0 }, NOW_MS, () => {});
  const seeded = await database.all(sql`SELECT vod_id FROM uploads`);
  const seededIds = new Set(seeded.map((row) => row.vod_id));
  const catalog = [...makeDemoVods(NOW_MS), ...makeScenarioVods(NOW_MS)];
  expect(catalog.filter((vod) => seededIds.has(vod.id))).toEqual([]);
  await database.close();
});

test("what is seeded has happened already, in the order in which things happen", async () => {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  await seedRows(database, { users: 30, uploads: 3_000, files: 100 }, NOW_MS, () => {});
  const [latest] = await database.all(sql`
    SELECT (SELECT max(max(created_at), max(started_at), max(completed_at), max(failed_at),
        max(updated_at)) FROM uploads) AS uploads,
      (SELECT max(last_modified_at) FROM files) AS files,
      (SELECT max(max(created_at), max(last_login_at), max(consented_at), max(banned_at))
        FROM users) AS users,
      (SELECT count(*) FROM uploads WHERE started_at < created_at OR completed_at < started_at
        OR failed_at < started_at OR updated_at < created_at) AS disordered`);
  expect(Number(latest?.uploads)).toBeLessThanOrEqual(NOW_MS);
  expect(Number(latest?.files)).toBeLessThanOrEqual(NOW_MS);
  expect(Number(latest?.users)).toBeLessThanOrEqual(NOW_MS);
  expect(latest?.disordered).toBe(0);
  await database.close();
});

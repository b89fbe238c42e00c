import { expect, test } from "vitest";
import { host } from "#host-under-test";
import { userIdSchema } from "#contract/ids.ts";
import { createRecordingLogs } from "#hosts/node/testing/recording-logs.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { sql } from "#service/db/sql.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { createLogger } from "#service/logger.ts";
import type { Database } from "#service/ports/database.ts";
import { storeNames } from "#service/storage/stored-name.ts";
import { ownerIndexJob } from "./renamed-owners.ts";
import { pageUploads } from "./upload-list.ts";

const OWNERS = ["Жук Éclair", "bob_%", "Zed 😀"] as const;

async function world(): Promise<Database & { close(): Promise<void> }> {
  const database = await host.openDatabase();
  for (const [index, name] of OWNERS.entries())
    await database.run(sql`INSERT INTO users (id, login, display_name, created_at)
      VALUES (${`10${index}`}, ${`login${index}`}, ${name}, 0)`);
  return database;
}

test("a search with more matches than are counted reports a capped total and correct pages", async () => {
  const database = await world();
  await database.run(sql`
    INSERT INTO uploads (id, kind, filename, title, owner_id, rights, status, failure_class,
      source_bytes, max_retries, created_at, updated_at)
    SELECT 'n' || n, 'twitch', (n * 7919 % 30001) || '-clip.ts',
      CASE WHEN n * 31 % 1009 > 650 THEN 'Large' END, '10' || (n % 3), 'owner_signed_in',
      iif(n % 9 = 0, 'failed', 'completed'), iif(n % 9 = 0, 'ours', NULL), n * 31 % 1009, 3, 0, 0
    FROM (SELECT value AS n FROM json_each(${numbersTo(36 * 1024)}))`);
  const query = {
    limit: 20,
    search: "CLIP",
    sortBy: "startedAt",
    sortOrder: "desc",
  } as const;
  for (const [page, sortBy, filter] of [
    [1, "startedAt", {}],
    [501, "startedAt", {}],
    [3, "filename", {}],
    [400, "filename", {}],
    [3, "size", {}],
    [400, "size", {}],
    [3, "size", { userId: userIdSchema.parse("101") }],
    [3, "size", { status: "completed" }],
    [400, "size", { status: "completed" }],
    [3, "size", { search: "7-clip" }],
    [3, "size", { search: "7-clip", status: "completed" }],
  ] as const) {
    const { search, userId, status } = {
      search: "",
      userId: "any",
      status: "any",
      ...filter,
    };
    const answer = await pageUploads(database, { ...query, page, sortBy, ...filter }, 0);
    const column = { startedAt: sql`seq`, filename: sql`filename`, size: sql`source_bytes` }[
      sortBy
    ];
    const expected = await database.all(sql`
      SELECT id FROM uploads WHERE ${userId} IN ('any', owner_id)
        AND ${status} IN ('any', status) AND instr(filename, ${search}) > 0
      ORDER BY ${column} DESC, seq DESC LIMIT 20 OFFSET ${(page - 1) * 20}`);
    expect(answer.items.map((item) => item.id)).toEqual(expected.map((row) => row.id));
    expect(answer).toMatchObject({ total: 1_000, totalIsCapped: true, hasNext: true });
  }
  // The matches are contiguous at the end of the order.
  const together = await pageUploads(
    database,
    {
      ...query,
      page: 2,
      search: "large",
      sortBy: "size",
      sortOrder: "asc",
    },
    0,
  );
  const smallest = await database.all(sql`
    SELECT id FROM uploads WHERE title = 'Large' ORDER BY source_bytes, seq LIMIT 20 OFFSET 20`);
  expect(together.items.map((item) => item.id)).toEqual(smallest.map((row) => row.id));
  expect(together).toMatchObject({ total: 1_000, totalIsCapped: true });

  const few = await pageUploads(database, { ...query, page: 1, status: "failed" }, 0);
  expect(few).toMatchObject({ total: 1_000, totalIsCapped: true, hasNext: true });
  await database.close();
});

test("after an owner is renamed, their uploads are found only by the new name", async () => {
  const database = await world();
  await database.run(sql`
    INSERT INTO uploads (id, kind, filename, owner_id, rights, status, max_retries, created_at,
      updated_at)
    SELECT 'u' || n, 'twitch', 'clip' || n, '10' || (n % 2), 'owner_signed_in', 'completed', 3, 0, 0
    FROM (SELECT value AS n FROM json_each(${numbersTo(120)}))`);
  const renamed = { id: "100", login: "login0", displayName: "Renamed", profileImageUrl: null };
  await database.batch(storeNames([renamed], "listed", 0));
  const found = async (search: string) =>
    (
      await pageUploads(
        database,
        {
          page: 1,
          limit: 20,
          search,
          sortBy: "startedAt",
          sortOrder: "desc",
        },
        0,
      )
    ).total;
  const context = {
    platform: { database, clock: systemClock, random: systemRandom },
    log: createLogger(systemClock, createRecordingLogs()),
  };
  await runDue(context, "reindex", ownerIndexJob(context), 1);
  expect(await found("renamed")).toBe(60);
  expect(await found("éclair")).toBe(0);
  expect(await found("bob_%")).toBe(60);
  expect(await found("nq")).toBe(0);
  expect(await database.all(sql`SELECT * FROM jobs`)).toEqual([]);
  await database.close();
});

/** A JSON array of 1 to `last`. */
function numbersTo(last: number): string {
  return JSON.stringify(Array.from({ length: last }, (_number, index) => index + 1));
}

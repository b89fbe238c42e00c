import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { dueUploads, takeLease } from "./lease.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

/** The same database, as one of several hosts sees it at `nowMs`. */
function hostAt(nowMs: number): Platform {
  const { platform } = world.context;
  return {
    ...platform,
    clock: { ...platform.clock, now: () => nowMs },
    runtime: { ...platform.runtime, isSoleWriter: false },
  };
}

it("a sole writer takes over leases of earlier processes immediately, but not its own", async () => {
  const uploadId = await world.addUpload("1");
  const sole = { ...hostAt(1_000), runtime: world.context.platform.runtime };
  await takeLease(sole, "before", uploadId);
  expect(await takeLease(sole, "before", uploadId)).toBeNull();
  expect(await dueUploads(sole, "after", 100)).toContain(uploadId);
  expect(await takeLease(sole, "after", uploadId)).not.toBeNull();
});

it("a channel with many uploads that day waits behind one with few", async () => {
  const { database } = world.context.platform;
  await database.run(sql`UPDATE uploads SET status = 'cancelled', created_at = 0`);
  await database.run(sql`
    INSERT INTO users (id, login, display_name, created_at) VALUES ('77', 'modest', 'Modest', 1)`);
  const greedy = await Promise.all(["1", "1", "1", "1"].map((vodId) => world.addUpload(vodId)));
  const [finished, running, ...waiting] = greedy;
  const modest = await Promise.all(["1", "1"].map((vodId) => world.addUpload(vodId)));
  for (const id of modest)
    await database.run(sql`UPDATE uploads SET owner_id = '77' WHERE id = ${id}`);
  await database.run(sql`UPDATE uploads SET status = 'completed' WHERE id = ${finished ?? ""}`);
  const nowMs = world.context.platform.clock.now();
  await takeLease(hostAt(nowMs), "busy", running ?? "");
  expect(await dueUploads(hostAt(nowMs), "free", 100)).toEqual([...modest, ...waiting]);
  // The turns are counted anew the next day.
  const nextDay = hostAt(nowMs + 24 * 3_600_000);
  expect(await dueUploads(nextDay, "free", 100)).toEqual([
    running,
    modest[0],
    waiting[0],
    modest[1],
    waiting[1],
  ]);
});

it("an archive that its process left continues before any other", async () => {
  const { database, clock } = world.context.platform;
  await database.run(sql`UPDATE uploads SET status = 'cancelled', created_at = 0`);
  const [earlier = "", waiting = "", begun = ""] = await Promise.all(
    ["1", "1", "1"].map((vodId) => world.addUpload(vodId)),
  );
  await takeLease(hostAt(clock.now()), "before", begun);
  await takeLease(hostAt(clock.now()), "before", waiting);
  await database.run(sql`UPDATE uploads SET phase = 'waiting' WHERE id = ${waiting}`);
  const sole = { ...hostAt(clock.now()), runtime: world.context.platform.runtime };
  expect(await dueUploads(sole, "after", 1)).toEqual([begun]);
  expect(await dueUploads(sole, "after", 100)).toEqual([begun, earlier, waiting]);
});

it("finds due uploads faster than counting all pending ones", async () => {
  const { database } = world.context.platform;
  const numbers = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index));
  await database.batch([
    sql`INSERT INTO users (id, login, display_name, created_at)
      SELECT 'many' || value, 'many', 'Many', 1 FROM json_each(${numbers}) WHERE value < 50`,
    sql`INSERT INTO uploads (id, kind, vod_id, filename, owner_id, rights, status, max_retries,
        created_at, updated_at)
      SELECT 'many' || value, 'twitch', value, 'film.ts', 'many' || (value % 50),
        'administrator_confirmed', 'pending', 3, 1000, 1000 FROM json_each(${numbers})`,
  ]);
  const host = hostAt(1_000);
  const countAll = sql`SELECT count(*), max(updated_at) FROM uploads WHERE status = 'pending'`;
  const readingAllMs = await msOf(() => database.all(countAll));
  expect(await msOf(() => dueUploads(host, "free", 2))).toBeLessThan(readingAllMs);
});

async function msOf(ask: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  for (let count = 0; count < 20; count += 1) await ask();
  return performance.now() - startedMs;
}

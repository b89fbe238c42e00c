import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { Database, Row } from "#service/ports/database.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { batchUnderLease, dueUploads, releaseLeases, takeLease } from "./lease.ts";

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
  await database.run(releaseLeases(clock.now()));
  expect(await dueUploads(sole, "after", 100)).toEqual([begun, earlier, waiting]);
});

it("a released lease frees its upload, and its runner writes no more", async () => {
  const { database, clock } = world.context.platform;
  const uploadId = await world.addUpload("1");
  const lease = await takeLease(hostAt(clock.now()), "before", uploadId);
  if (lease === null) throw new Error("The lease is not free");
  await database.run(releaseLeases(clock.now()));
  expect(await dueUploads(hostAt(clock.now()), "after", 100)).toContain(uploadId);
  const late = sql`UPDATE uploads SET phase = 'copying' WHERE id = ${uploadId}`;
  await expect(batchUnderLease(database, lease, [late])).rejects.toThrow("Another runner");
});

it("finds due uploads without reading all pending ones", async () => {
  const host = hostAt(1_000);
  let plan: readonly Row[] = [];
  const explaining: Database = {
    ...host.database,
    async all(statement) {
      plan = await host.database.all({ ...statement, sql: `EXPLAIN QUERY PLAN ${statement.sql}` });
      return [];
    },
  };
  await dueUploads({ ...host, database: explaining }, "free", 2);
  // `u` and `e` are aliases of the table. None of these steps reads the rows of all channels.
  const steps = plan.map(({ detail }) => String(detail));
  expect(steps.filter((step) => /^\w+ (?:uploads|u|e)\b/.test(step))).toEqual([
    "SEARCH uploads USING INDEX uploads_status (status=?)",
    "SEARCH uploads USING INDEX uploads_open_owner",
    "SEARCH u USING INDEX uploads_open_owner (owner_id>?)",
    "SEARCH uploads USING INDEX uploads_open_owner (owner_id=?)",
    "SEARCH uploads USING COVERING INDEX uploads_created (created_at>?)",
    "SEARCH e USING COVERING INDEX uploads_owner (owner_id=? AND seq>? AND seq<?)",
    "SEARCH e USING INDEX uploads_open_owner (owner_id=? AND seq<?)",
    "SEARCH u USING INTEGER PRIMARY KEY (rowid=?)",
    "SEARCH uploads USING INDEX uploads_open_owner (owner_id=?)",
  ]);
});

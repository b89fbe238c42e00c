import { afterAll, expect, it } from "vitest";
import { uploadIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { batchUnderLease, dueUploads, endLease, releaseLeases, takeLease } from "./lease.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

/** Pending uploads in this order. */
async function addUploads(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await world.addUpload("1"));
  return ids;
}

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

it("an archive that its process left continues before any other", async () => {
  const { database, clock } = world.context.platform;
  await database.run(sql`UPDATE uploads SET status = 'cancelled', created_at = 0`);
  const [earlier = "", waiting = "", begun = ""] = await addUploads(3);
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

it("of uploads that begin together and end the process, at most one is blamed, and begins alone", async () => {
  const { database, clock } = world.context.platform;
  await database.run(sql`UPDATE uploads SET status = 'cancelled'`);
  const ids = await addUploads(4);
  const host = hostAt(clock.now());
  const [first = "", second = ""] = ids;
  const lost = async () => {
    const rows = await database.all(
      sql`SELECT lost_starts FROM uploads WHERE status <> 'cancelled' ORDER BY seq`,
    );
    return rows.map((row) => row["lost_starts"]);
  };
  for (const id of ids) await takeLease(host, "first", id);
  expect(await lost()).toEqual([1, 0, 0, 0]);
  await database.run(releaseLeases(clock.now()));
  const alone = await takeLease(host, "second", first);
  expect(await takeLease(host, "second", second)).toBeNull();
  if (alone === null) throw new Error("The lease is not free");
  await database.run(
    sql`UPDATE uploads SET phase = 'copying', lost_starts = 0 WHERE id = ${first}`,
  );
  expect(await takeLease(host, "second", second)).not.toBeNull();
  expect(await lost()).toEqual([0, 1, 0, 0]);
});

it("all hosts together run no more archives than there are places", async () => {
  const { database, clock } = world.context.platform;
  await database.run(sql`UPDATE uploads SET status = 'cancelled'`);
  const [first = "", second = "", third = ""] = await addUploads(3);
  const host = hostAt(clock.now());
  expect(host.runtime.archivePlaces).toBe(2);
  await takeLease(host, "one", first);
  expect(await dueUploads(host, "other", 100)).toEqual([second, third]);
  await takeLease(host, "other", second);
  expect(await takeLease(host, "third", third)).toBeNull();
  expect(await dueUploads(host, "third", 100)).toEqual([]);
  await database.run(endLease({ uploadId: uploadIdSchema.parse(first), epoch: 0 }, clock.now()));
  expect(await takeLease(host, "third", third)).not.toBeNull();
});

import { afterAll, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { carryOutRemovals, planRemoval } from "#service/storage/store-removals.ts";
import { dueUploads, takeLease } from "#service/storage/lease.ts";
import { reconcilePage } from "#service/proof/reconcile.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { NEVER_MS } from "./due-time.ts";
import { sql } from "./sql.ts";

const YEAR_MS = 365 * 24 * 3_600_000;

const world = await openArchiveWorld();
afterAll(() => world.close());

/** Whether an upload that waits until `atMs` is taken now. */
async function isTaken(atMs: number): Promise<boolean> {
  const { platform } = world.context;
  const id = await world.addUpload("2000000002");
  await platform.database.run(sql`
    UPDATE uploads SET next_attempt_at = ${atMs} WHERE id = ${id}`);
  const due: readonly string[] = await dueUploads(platform, "nobody", 100);
  const lease = await takeLease(platform, "nobody", id);
  expect(lease !== null).toBe(due.includes(id));
  await platform.database.run(sql`UPDATE uploads SET status = 'cancelled' WHERE id = ${id}`);
  return lease !== null;
}

test("an archive scheduled years ahead by a wrong clock is due now", async () => {
  const nowMs = world.context.platform.clock.now();
  expect(await isTaken(nowMs - 1)).toBe(true);
  expect(await isTaken(nowMs + 24 * 3_600_000)).toBe(false);
  expect(await isTaken(nowMs + 12 * YEAR_MS)).toBe(true);
});

test("a row of seeded data is never due", async () => {
  expect(await isTaken(NEVER_MS)).toBe(false);
});

test("removals and scans scheduled years ahead by a wrong clock are carried out", async () => {
  const { database, objects, clock } = world.context.platform;
  const farMs = clock.now() + 12 * YEAR_MS;
  const key = objectKeySchema.parse("vods/1/2/removed.ts");
  await objects.put(key, new Uint8Array(3), { contentType: "video/mp2t" });
  await database.batch([
    planRemoval({ key, multipartId: null }, farMs, sql`TRUE`),
    sql`UPDATE deployment SET scan_next_at = ${farMs}`,
  ]);
  await carryOutRemovals(world.context);
  expect(await objects.head(key)).toBeNull();
  expect(await reconcilePage(world.context)).toBe(true);
});

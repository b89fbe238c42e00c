import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { carryOutRemovals, planRemoval } from "#service/archiver/store-removals.ts";
import { dueUploads } from "#service/archiver/upload-lease.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { expireManualUploads, flagSilentUploads } from "#service/uploads/manual-sweep.ts";
import { startManualUpload } from "#service/uploads/manual-start.ts";
import { createClockWatch, NEVER_MS } from "./clock-watch.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 10, 22);

let world: ArchiveWorld;
beforeAll(async () => {
  world = await openArchiveWorld();
  await world.context.platform.database.run(
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('7', 'sender', 'Sender', 1)`,
  );
});
afterAll(() => world.close());

let wallMs = START_MS;
let monotonicMs = 0;
beforeEach(async () => {
  wallMs = START_MS;
  monotonicMs = 0;
  await world.context.platform.database.batch([
    sql`DELETE FROM store_removals`,
    sql`UPDATE uploads SET status = 'cancelled'`,
  ]);
});

/** Advances a minute, in which the clock is also set by `stepMs`. */
function pass(stepMs: number): void {
  monotonicMs += 60_000;
  wallMs += 60_000 + stepMs;
}

/** A context whose clock the test sets. */
function steered(): ServiceContext {
  const { platform } = world.context;
  return {
    ...world.context,
    platform: {
      ...platform,
      clock: { ...platform.clock, now: () => wallMs, monotonic: () => monotonicMs },
      runtime: { ...platform.runtime, isSoleWriter: true },
    },
  };
}

async function waitFor(ms: number): Promise<string> {
  const id = await world.addUpload("2000000002");
  await world.context.platform.database.run(
    sql`UPDATE uploads SET next_attempt_at = ${wallMs + ms} WHERE id = ${id}`,
  );
  return id;
}

const due = (context: ServiceContext) => dueUploads(context.platform, "nobody", 100);

test("an archive that waits does not wait for a time that comes twice", async () => {
  const context = steered();
  const watch = createClockWatch(context);
  await watch.follow();
  const id = await waitFor(5 * 60_000);
  pass(-HOUR_MS);
  await watch.follow();
  expect(await due(context)).toEqual([]);
  pass(0);
  pass(0);
  pass(0);
  pass(0);
  await watch.follow();
  expect(await due(context)).toEqual([id]);
});

test.each([
  ["while the service runs", true],
  ["while it is down", false],
])("nothing hangs on a year that never was, set right %s", async (_, isRunning) => {
  const context = steered();
  const watch = createClockWatch(context);
  wallMs += 12 * YEAR_MS;
  await watch.follow();
  const id = await waitFor(5 * 60_000);
  const key = objectKeySchema.parse("vods/1/2/removed.ts");
  await context.platform.objects.put(key, new Uint8Array(3), { contentType: "video/mp2t" });
  await context.platform.database.run(planRemoval({ key, multipartId: null }, wallMs, sql`TRUE`));
  pass(-12 * YEAR_MS);
  await (isRunning ? watch : createClockWatch(context)).follow();
  for (let minutes = 0; minutes < 5; minutes += 1) pass(0);
  expect(await due(context)).toEqual([id]);
  await carryOutRemovals(context);
  expect(await context.platform.objects.head(key)).toBeNull();
});

test.each([0, -HOUR_MS, HOUR_MS])(
  "what nobody shall go on with stays as it is, whatever the clock does (%i ms)",
  async (stepMs) => {
    const context = steered();
    const watch = createClockWatch(context);
    const id = await waitFor(NEVER_MS - wallMs);
    await watch.follow();
    pass(stepMs);
    await watch.follow();
    await createClockWatch(context).follow();
    const [row] = await context.platform.database.all(
      sql`SELECT next_attempt_at FROM uploads WHERE id = ${id}`,
    );
    expect(row?.next_attempt_at).toBe(NEVER_MS);
  },
);

test.each([
  ["an hour", HOUR_MS],
  ["twelve years", 12 * YEAR_MS],
])("a clock set forward by %s makes no browser silent and ends no upload", async (_, stepMs) => {
  const context = steered();
  const watch = createClockWatch(context);
  const { id } = await startManualUpload(
    context,
    { length: 1_000, metadata: { header: null, filename: "film.mp4" } },
    { actorId: userIdSchema.parse("7"), requestId: "test" },
  );
  await context.platform.database.run(
    sql`UPDATE uploads SET status = 'processing' WHERE id = ${id}`,
  );
  const isStalled = async () => (await world.upload(id)).debugInfo.isStalled;
  await watch.follow();
  pass(stepMs);
  await watch.follow();
  await flagSilentUploads(context);
  await expireManualUploads(context);
  expect([(await world.upload(id)).status, await isStalled()]).toEqual(["processing", false]);
  for (let minutes = 0; minutes < 10; minutes += 1) pass(0);
  await watch.follow();
  await flagSilentUploads(context);
  expect(await isStalled()).toBe(true);
});

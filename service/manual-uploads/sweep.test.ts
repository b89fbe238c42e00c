import { hash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { sql } from "#service/db/sql.ts";
import { recordProbes } from "#service/health/health-store.ts";
import { retryUpload } from "#service/storage/upload-actions.ts";
import { carryOutRemovals } from "#service/storage/store-removals.ts";
import { MIB, openManualWorld } from "#service/testing/manual-world.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { createManualUploads } from "./manual-uploads.ts";
import { proveManualUpload } from "./proof.ts";
import { expireManualUploads, sweepManualUploads } from "./sweep.ts";

const DAY_MS = 86_400_000;

const world = await openManualWorld();
const { ahead, append, digestOf, find, leftInStore, start } = world;
afterAll(() => world.close());

test("an upload can be resumed for a day; then its bytes are removed and a retry starts over", async () => {
  const manual = createManualUploads(world.context);
  const { clock } = world.context.platform;
  const bytes = randomBytes(12 * MIB);
  const id = await start(bytes.length);
  await append(manual, id, 0, bytes.subarray(0, 9 * MIB));
  await expireManualUploads(world.context, clock.now() + DAY_MS - 3_600_000);
  expect((await find(id)).offset).toBe(9 * MIB);
  await expireManualUploads(world.context, clock.now() + DAY_MS + 3_600_000);
  expect(await world.upload(id)).toMatchObject({
    status: "failed",
    errorMessage: expect.stringContaining("24 hours"),
  });
  expect(
    await world.context.platform.database.all(
      sql`SELECT link FROM notification_events WHERE subject = ${id}`,
    ),
  ).toEqual([{ link: `/uploads?upload=${id}` }]);
  await carryOutRemovals(ahead(DAY_MS + 3_600_000));
  expect(await leftInStore(id)).toEqual([]);
  const retried = await retryUpload(world.context, {
    uploadId: id,
    actorId: "7",
    atMs: clock.now() + DAY_MS + 3_600_000,
  });
  expect(retried).toBe("done");
  expect(await find(id)).toMatchObject({ status: "pending", offset: 0 });
  await append(manual, id, 0, bytes);
  await proveManualUpload(manual, id);
  expect(await digestOf(id)).toBe(hash("sha256", bytes));
});

test("an upload with recent progress does not expire", async () => {
  const id = await start(1_000);
  await append(createManualUploads(world.context), id, 0, randomBytes(10));
  // Progress is written during a request, but expires_at is only reset when the request ends.
  await world.context.platform.database.run(
    sql`UPDATE uploads SET expires_at = 0 WHERE id = ${id}`,
  );
  await expireManualUploads(world.context, world.context.platform.clock.now());
  expect(await world.upload(id)).toMatchObject({ status: "processing" });
});

test("an upload keeps its speed between requests, and waits once its client is silent", async () => {
  // A stopped clock: requests that take longer than the client's silence change nothing.
  const { clock } = world.context.platform;
  const nowMs = clock.now();
  const stoppedAfter = (ms: number) => {
    const stopped = { ...clock, now: () => nowMs + ms, monotonic: () => ms };
    return { ...world.context, platform: { ...world.context.platform, clock: stopped } };
  };
  const manual = createManualUploads(stoppedAfter(0));
  const id = await start(1_000, "film.mp4", stoppedAfter(0));
  const setSpeed = sql`UPDATE uploads SET speed_bytes_per_sec = 7 WHERE id = ${id}`;
  await append(manual, id, 0, randomBytes(10));
  await world.context.platform.database.run(setSpeed);
  await append(manual, id, 10, randomBytes(10));
  await sweepManualUploads(manual);
  expect(await world.upload(id)).toMatchObject({ phase: "copying", uploadSpeed: 7 });
  await sweepManualUploads(createManualUploads(stoppedAfter(30_000)));
  expect(await world.upload(id)).toMatchObject({ phase: "waiting", uploadSpeed: null });
});

test("the message of an outage goes once store and disk are healthy again, not before", async () => {
  const { database, clock } = world.context.platform;
  const id = await start(2 * MIB);
  const message = "The store is not available: connection reset";
  await database.run(sql`UPDATE uploads SET status = 'processing', phase = 'waiting',
    error_message = ${message} WHERE id = ${id}`);
  const seen: unknown[] = [];
  for (const disk of ["unhealthy", "healthy"] as const) {
    const atMs = clock.now() + 1_000;
    await recordProbes(
      database,
      [
        { component: "r2Storage", status: "healthy", detail: null },
        { component: "disk", status: disk, detail: null },
      ],
      atMs,
    );
    await sweepManualUploads(createManualUploads(world.context));
    seen.push((await world.upload(id)).errorMessage);
  }
  expect(seen).toEqual([message, null]);
  await database.run(sql`DELETE FROM health_probes`);
});

test("an upload without data for ten minutes is marked as stalled until it continues", async () => {
  const manual = createManualUploads(world.context);
  const id = await start(1_000);
  await append(manual, id, 0, randomBytes(10));
  await sweepManualUploads(createManualUploads(ahead(660_000)));
  expect((await world.upload(id)).debugInfo).toMatchObject({ isStalled: true });
  await append(manual, id, 10, randomBytes(10));
  expect((await world.upload(id)).debugInfo).toMatchObject({ isStalled: false });
});

import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { carryOutRemovals } from "#service/storage/store-removals.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const { database } = world.context.platform;

/** A broadcast that grows by one segment of 10 MB after each run, three to a part. */
async function growingVod() {
  const { vodId, uploadId } = await world.addVod({
    segmentSizeBytes: 10_000_000,
    growing: { initialSegments: 2 },
  });
  async function poll(): Promise<void> {
    await database.run(sql`UPDATE uploads SET next_attempt_at = 0 WHERE id = ${uploadId}`);
    await world.archiver.consume({ uploadId });
  }
  async function fetchesOf(): Promise<readonly number[]> {
    const requests = await world.twitch.control.requests({ kind: "segment", vodId });
    const counts = new Map<string, number>();
    for (const { path } of requests) counts.set(path, (counts.get(path) ?? 0) + 1);
    return [...counts.values()];
  }
  return { vodId, uploadId, poll, fetchesOf };
}

async function pieces(uploadId: string) {
  return await database.all(sql`
    SELECT start_offset FROM incomplete_parts WHERE upload_id = ${uploadId}`);
}

it("fetches each segment of a growing broadcast once", async () => {
  const { vodId, uploadId, poll, fetchesOf } = await growingVod();
  for (let polls = 0; polls < 8; polls += 1) {
    await poll();
    expect((await pieces(uploadId)).length).toBeGreaterThan(0);
    expect((await world.upload(uploadId)).metadata.isLive).toBe(true);
    await world.twitch.control.grow(vodId, 1);
  }
  await world.twitch.control.end(vodId);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({ status: "completed", metadata: { isLive: false } });
  expect(await world.holdsVod(upload, vodId)).toBe(true);
  expect(await fetchesOf()).toEqual(Array.from({ length: 10 }, () => 1));
  expect(await pieces(uploadId)).toEqual([]);
  await world.context.platform.clock.sleep(20_000);
  await carryOutRemovals(world.context);
  const { keys } = await world.storeContents();
  expect(keys.filter((key) => key.includes(uploadId) && !key.startsWith("vods/"))).toEqual([]);
});

it("fetches again what the store has lost", async () => {
  const { vodId, uploadId, poll } = await growingVod();
  await poll();
  expect(await pieces(uploadId)).toMatchObject([{ start_offset: 0 }]);
  await database.run(sql`UPDATE incomplete_parts SET object_key = object_key || '0'
    WHERE upload_id = ${uploadId}`);
  await world.twitch.control.end(vodId);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload.status).toBe("completed");
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});

it("keeps nothing behind a part that the store did not take", async () => {
  let isFailing = true;
  const failing = await openArchiveWorld({
    changePlatform: (platform) => ({
      ...platform,
      // The copy goes on while a part is being stored.
      runtime: { ...platform.runtime, copyBufferBytes: 256 * 1024 * 1024 },
      objects: {
        ...platform.objects,
        async uploadPart(...args) {
          if (isFailing) throw new StoreError("unavailable", "The store is away");
          return await platform.objects.uploadPart(...args);
        },
      },
    }),
  });
  const { vodId, uploadId } = await failing.addVod({
    segmentSizeBytes: 10_000_000,
    growing: { initialSegments: 5 },
  });
  await failing.archiver.consume({ uploadId });
  const kept = sql`SELECT 1 FROM incomplete_parts`;
  expect(await failing.context.platform.database.all(kept)).toEqual([]);
  isFailing = false;
  await failing.twitch.control.end(vodId);
  const upload = await failing.archiveToEnd(uploadId);
  expect(upload.status).toBe("completed");
  expect(await failing.holdsVod(upload, vodId)).toBe(true);
  await failing.close();
});

it("fetches again what was kept behind parts that are not on record", async () => {
  const { vodId, uploadId, poll } = await growingVod();
  await world.twitch.control.grow(vodId, 4);
  await poll();
  expect(await pieces(uploadId)).not.toEqual([]);
  await database.run(sql`DELETE FROM upload_parts WHERE upload_id = ${uploadId}`);
  await world.twitch.control.end(vodId);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload.status).toBe("completed");
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});

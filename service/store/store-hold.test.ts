import { afterEach, expect, test, vi } from "vitest";
import type { Upload } from "#contract/upload.ts";
import { createManualClock } from "#hosts/node/testing/manual-clock.ts";
import { type ObjectStore, StoreError } from "#service/ports/object-store.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { startTestService } from "#service/testing/test-service.ts";
import { createStoreHold } from "./store-hold.ts";

let world: ArchiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const REFUSED = new StoreError("denied", "Writing: the store does not know the key (403)");
const AWAY = new StoreError("unavailable", "Writing: connect ECONNREFUSED 127.0.0.1:9000");

/** A store whose calls fail while `trouble` returns an error. */
function troubled(objects: ObjectStore, trouble: () => StoreError | null): ObjectStore {
  function unless<T>(call: () => Promise<T>): Promise<T> {
    const error = trouble();
    return error === null ? call() : Promise.reject(error);
  }
  return {
    ...objects,
    put: (key, body, options) => unless(() => objects.put(key, body, options)),
    get: (key, range) => unless(() => objects.get(key, range)),
    head: (key) => unless(() => objects.head(key)),
    createMultipart: (key, options) => unless(() => objects.createMultipart(key, options)),
    uploadPart: (handle, part, bytes, digest) =>
      unless(() => objects.uploadPart(handle, part, bytes, digest)),
    completeMultipart: (handle, parts) => unless(() => objects.completeMultipart(handle, parts)),
  };
}

/** @param heldPart the number of a part that is not stored before the first trouble */
async function openTroubledWorld(clockFactor?: number, heldPart?: number) {
  let trouble: StoreError | null = null;
  const first = Promise.withResolvers<void>();
  const opened = await openArchiveWorld({
    ...(clockFactor === undefined ? {} : { clockFactor }),
    changePlatform(platform) {
      const objects = troubled(platform.objects, () => trouble);
      return {
        ...platform,
        objects: {
          ...objects,
          async uploadPart(handle, part, bytes, digest) {
            if (part === heldPart) await first.promise;
            return await objects.uploadPart(handle, part, bytes, digest);
          },
        },
      };
    },
  });
  world = opened;
  function setTrouble(error: StoreError | null): void {
    trouble = error;
    first.resolve();
  }
  return { world: opened, setTrouble };
}

test("rejected credentials hold the queue, and waiting archives complete once they work again", async () => {
  const { world: opened, setTrouble } = await openTroubledWorld();
  const vods = await Promise.all(
    Array.from({ length: 4 }, () => opened.twitch.control.addVod({ segmentCount: 2 })),
  );
  const ids: string[] = [];
  for (const vod of vods) ids.push(await opened.addUpload(vod.id));
  const [first = "", ...others] = ids;
  setTrouble(REFUSED);
  await opened.archiver.consume({ uploadId: first });
  for (const uploadId of others) await opened.archiver.consume({ uploadId });
  expect(await opened.upload(first)).toMatchObject({
    status: "processing",
    phase: "waiting",
    failureClass: "storage",
    errorMessage: `The store refuses access. ${REFUSED.message}`,
    retryCount: 0,
  });
  // Uploads that cannot be stored do not start.
  for (const id of others)
    expect(await opened.upload(id)).toMatchObject({
      status: "pending",
      errorMessage: `The store refuses access. ${REFUSED.message}`,
    });

  setTrouble(null);
  const ended: Upload[] = [];
  for (const uploadId of ids) ended.push(await opened.archiveToEnd(uploadId));
  for (const upload of ended)
    expect(upload).toMatchObject({ status: "completed", retryCount: 0, errorMessage: null });
});

test("checks an unavailable store with backoff until it is available again", async () => {
  const { world: opened, setTrouble } = await openTroubledWorld();
  setTrouble(AWAY);
  const clock = createManualClock(0);
  const askedSec: number[] = [];
  const { objects } = opened.context.platform;
  const hold = createStoreHold({
    ...opened.context,
    platform: {
      ...opened.context.platform,
      clock,
      objects: {
        ...objects,
        put: (...object) => {
          askedSec.push(clock.monotonic() / 1_000);
          return objects.put(...object);
        },
      },
    },
  });
  hold.hold("The store is away.");
  while (clock.monotonic() < 200_000) {
    expect(await hold.hasEnded()).toBe(false);
    clock.pass(1_000);
  }
  expect(askedSec).toEqual([5, 15, 35, 75, 135, 195]);
  setTrouble(null);
  clock.pass(60_000);
  expect([await hold.hasEnded(), hold.reason, await hold.hasEnded()]).toEqual([true, null, false]);
});

test("an outage during an archive is shown within seconds and loses no stored progress", async () => {
  const { world: opened, setTrouble } = await openTroubledWorld(5, 3);
  const { uploadId } = await opened.addVod({ segmentCount: 20, segmentSizeBytes: 3_000_000 });
  const seen: Upload[] = [];
  const look = async (): Promise<Upload> => {
    const upload = await opened.upload(uploadId);
    seen.push(upload);
    return upload;
  };
  const archiving = opened.archiveToEnd(uploadId);
  await vi.waitFor(async () => expect((await look()).processedSize).toBeGreaterThan(0), 180_000);
  setTrouble(AWAY);
  const { clock } = opened.context.platform;
  const awaySinceMs = clock.now();
  await vi.waitFor(async () => expect((await look()).phase).toBe("waiting"), 180_000);
  expect(clock.now() - awaySinceMs).toBeLessThan(30_000);
  const shownAt = seen.length - 1;
  expect(seen[shownAt]).toMatchObject({
    status: "processing",
    errorMessage: `The store is not available: ${AWAY.message}`,
  });
  // Wait until the run has given up and the next attempt is scheduled.
  await vi.waitFor(async () => expect((await look()).nextAttemptAt).not.toBeNull(), 180_000);
  setTrouble(null);
  await vi.waitFor(async () => expect((await look()).status).toBe("completed"), 180_000);
  await archiving;
  // Unstored segments are fetched again; stored ones still count.
  const stored = Math.floor(
    (20 * (seen[shownAt]?.processedSize ?? 0)) / (seen.at(-1)?.processedSize ?? 0),
  );
  expect(stored).toBeGreaterThan(0);
  for (const { progress, metadata } of seen.slice(shownAt)) {
    expect(progress).toBeGreaterThanOrEqual(Math.min(99.9, stored * 5));
    expect(metadata.segmentsDownloaded).toBeGreaterThanOrEqual(stored);
  }
});

test("starts without waiting for an unavailable store, and is not ready until it is available", async () => {
  let trouble: StoreError | null = AWAY;
  const vodkeep = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      objects: troubled(platform.objects, () => trouble),
    }),
    starts: false,
  });
  const isReady = async () =>
    (
      await vodkeep.service.fetch(new Request("http://localhost:8787/readyz"), {
        clientAddress: "127.0.0.1",
      })
    ).status;
  await vodkeep.service.openStore();
  expect(await isReady()).toBe(503);
  vodkeep.service.start();
  trouble = null;
  await expect.poll(isReady).toBe(200);
  trouble = REFUSED;
  await expect(vodkeep.service.openStore()).rejects.toBe(REFUSED);
  await vodkeep.close();
});

import { afterAll, expect, it } from "vitest";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import type { Platform } from "#service/platform.ts";
import { StoreError, type ObjectStore } from "#service/ports/object-store.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { completeAndProve } from "./multipart.ts";
import { ArchiveFailed, StartOver } from "./run-end.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const TYPE = { contentType: "video/mp2t" };
let uploads = 0;

/** Proves one part in a store with changed methods, by default one whose tags prove nothing. */
async function prove(
  change: (store: ObjectStore, key: ObjectKey) => Partial<ObjectStore>,
  partTagAlgorithm: ObjectStore["partTagAlgorithm"] = "none",
) {
  const { platform } = world.context;
  const store: ObjectStore = { ...platform.objects, partTagAlgorithm };
  const bytes = randomBytes(1_000);
  const key = objectKeySchema.parse(`vods/1/2/${(uploads += 1)}.ts`);
  const handle = await store.createMultipart(key, TYPE);
  const { tag } = await store.uploadPart(handle, 1, bytes);
  const part = {
    partNumber: 1,
    tag,
    sizeBytes: bytes.byteLength,
    sha256: await platform.digests.sha256(bytes),
    end: { unit: 1, offset: 0 },
    overlap: null,
    finishedUnits: [],
  };
  const objects = { ...store, ...change(store, key) };
  const changed: Platform = { ...platform, objects };
  const { signal } = new AbortController();
  const context = { ...world.context, platform: changed };
  const progress = { storeAnswered: () => undefined };
  return await completeAndProve({ context, signal, progress }, handle, [part]);
}

async function refuse(): Promise<never> {
  throw new StoreError("no_such_upload", "It has ended");
}

it("rejects a completed object that is larger than the bytes sent", async () => {
  const longer = prove((store) => ({
    async head(key) {
      const head = await store.head(key);
      return head === null ? null : { ...head, sizeBytes: head.sizeBytes + 1 };
    },
  }));
  await expect(longer).rejects.toBeInstanceOf(ArchiveFailed);
});

it.each(["none" as const, world.context.platform.objects.partTagAlgorithm])(
  "rejects an object of other bytes where the tags' algorithm is %s",
  async (partTagAlgorithm) => {
    const other = prove(
      (store, key) => ({
        async completeMultipart(handle, parts) {
          await store.completeMultipart(handle, parts);
          return await store.put(key, randomBytes(1_000), TYPE);
        },
      }),
      partTagAlgorithm,
    );
    await expect(other).rejects.toThrow("The store holds different bytes than were sent");
  },
);

it("asks again before it believes that the store holds something else", async () => {
  let heads = 0;
  let reads = 0;
  const proved = await prove((store) => ({
    async head(key) {
      const head = await store.head(key);
      heads += 1;
      return heads === 1 && head !== null ? { ...head, sizeBytes: 1 } : head;
    },
    async get(key, range) {
      reads += 1;
      return reads === 1
        ? await store.get(key, { offset: 0, length: 9 })
        : await store.get(key, range);
    },
  }));
  expect([proved.sizeBytes, heads, reads]).toEqual([1_000, 2, 2]);
});

it("after a lost response, the object shows whether it was completed", async () => {
  const completed = await prove((store) => ({
    async completeMultipart(handle, parts) {
      await store.completeMultipart(handle, parts);
      return await refuse();
    },
  }));
  expect(completed.sizeBytes).toBe(1_000);
  const neverThere = prove(() => ({ completeMultipart: refuse }));
  await expect(neverThere).rejects.toBeInstanceOf(StartOver);
  const earlierOne = prove((store, key) => ({
    async completeMultipart() {
      await store.put(key, randomBytes(5), TYPE);
      return await refuse();
    },
  }));
  await expect(earlierOne).rejects.toBeInstanceOf(StartOver);
});

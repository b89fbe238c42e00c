import { afterAll, beforeEach, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import type { DiskSpace } from "#service/platform.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { readTightestDisk, guardObjects } from "./disk-space.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** Free space is simulated here; bench/rigs/full-disk.test.ts fills a real disk. */
let freeBytes: number;
let disks: readonly DiskSpace[] | null;
/** Number of parts stored before the disk is full. */
let partsUntilFull: number;
beforeEach(() => {
  freeBytes = Infinity;
  disks = null;
  partsUntilFull = Infinity;
});

const RESERVE_BYTES = GIB;
const world = await openArchiveWorld({
  settings: { STORAGE_RESERVE_GB: "1" },
  changePlatform(platform) {
    const runtime = {
      ...platform.runtime,
      disks: async () => disks ?? [{ freeBytes, sizeBytes: 100 * GIB }],
    };
    const objects = guardObjects(filling(platform.objects), {
      platform: { runtime },
      settings: { STORAGE_RESERVE_GB: 1 },
    });
    return { ...platform, runtime, objects };
  },
});
afterAll(() => world.close());

function filling(objects: ObjectStore): ObjectStore {
  return {
    ...objects,
    async uploadPart(handle, partNumber, bytes, digest) {
      partsUntilFull -= 1;
      if (partsUntilFull === 0) freeBytes = RESERVE_BYTES + MIB;
      return await objects.uploadPart(handle, partNumber, bytes, digest);
    },
  };
}

/** Five parts of 8 MiB. */
const FIVE_PARTS = { segmentCount: 12, segmentSizeBytes: 3_000_000 } as const;

async function reserveOf(
  sizeBytes: number,
  STORAGE_RESERVE_GB?: number,
): Promise<number | undefined> {
  const { runtime } = world.context.platform;
  const disk = await readTightestDisk({
    platform: { runtime: { ...runtime, disks: async () => [{ freeBytes: 0, sizeBytes }] } },
    settings: { STORAGE_RESERVE_GB },
  });
  return disk?.reserveBytes;
}

it("the reserve is 5 % of a small disk, 2 GB of a large one, or the configured value", async () => {
  expect(await reserveOf(10 * GIB)).toBe(0.5 * GIB);
  expect(await reserveOf(1_000 * GIB)).toBe(2 * GIB);
  expect(await reserveOf(1_000 * GIB, 3)).toBe(3 * GIB);
  // Some network file systems report no size.
  expect(await reserveOf(0)).toBeUndefined();
});

it("uses the disk that will be full first", async () => {
  disks = [
    { freeBytes: 50 * GIB, sizeBytes: 100 * GIB },
    { freeBytes: 3 * GIB, sizeBytes: 1_000 * GIB },
  ];
  expect(await readTightestDisk(world.context)).toEqual({
    freeBytes: 3 * GIB,
    reserveBytes: RESERVE_BYTES,
  });
});

it("an archive pauses at the reserve with a message, and completes intact once there is space", async () => {
  const { clock } = world.context.platform;
  const { vodId, uploadId } = await world.addVod(FIVE_PARTS);
  partsUntilFull = 2;
  await world.archiver.consume({ uploadId });
  expect(await world.upload(uploadId)).toMatchObject({
    status: "processing",
    phase: "waiting",
    errorMessage: "The disk is nearly full: less than 1 GB are free.",
    retryCount: 0,
  });
  const { segment: fetched } = (await world.twitch.control.ledger()).requestsByKind;
  await clock.sleep(20_000);
  await world.archiver.endHold();
  await world.archiver.sweep();
  // No segment is fetched that could not be stored.
  expect((await world.twitch.control.ledger()).requestsByKind.segment).toBe(fetched);
  expect((await world.upload(uploadId)).errorMessage).toBe(
    "The disk is nearly full: less than 1.25 GB are free.",
  );

  freeBytes = 2 * GIB;
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({ status: "completed", retryCount: 0, errorMessage: null });
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});

it("an archive does not start without free space, and shows why", async () => {
  const { uploadId } = await world.addVod({ segmentCount: 1, segmentSizeBytes: 50_000 });
  freeBytes = RESERVE_BYTES;
  await world.archiver.endHold();
  await world.archiver.sweep();
  await world.archiver.consume({ uploadId });
  expect(await world.upload(uploadId)).toMatchObject({
    status: "pending",
    errorMessage: "The disk is nearly full: less than 1.25 GB are free.",
  });
  freeBytes = 2 * GIB;
  expect(await world.archiveToEnd(uploadId)).toMatchObject({ status: "completed", retryCount: 0 });
});

it("bytes still being written count as used space", async () => {
  const { objects } = world.context.platform;
  freeBytes = RESERVE_BYTES + 3 * MIB;
  const keys = ["a", "b", "c"].map((name) => objectKeySchema.parse(`space/${name}`));
  const writes = await Promise.allSettled(
    keys.map((key) => objects.put(key, new Uint8Array(1_200_000), { contentType: "text/plain" })),
  );
  expect(writes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
});

import { afterAll, beforeEach, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";

const MB = 1_000_000;

const RESERVE_GB = 0.01;

/** On the simulated disk, above the reserve. */
let roomBytes: number;
let onPart: () => void;
beforeEach(() => {
  roomBytes = 1_000 * MB;
  onPart = () => undefined;
});

const world = await openArchiveWorld({
  settings: { STORAGE_RESERVE_GB: String(RESERVE_GB) },
  changePlatform: (platform) => ({
    ...platform,
    objects: taking(platform.objects),
    runtime: {
      ...platform.runtime,
      disks: async () => [
        { freeBytes: roomBytes + RESERVE_GB * 1024 ** 3, sizeBytes: 10_000 * MB },
      ],
    },
  }),
});
afterAll(() => world.close());

function taking(objects: ObjectStore): ObjectStore {
  return {
    ...objects,
    async uploadPart(handle, partNumber, bytes, digest) {
      const part = await objects.uploadPart(handle, partNumber, bytes, digest);
      roomBytes -= bytes.byteLength;
      onPart();
      return part;
    },
  };
}

async function addVod(segmentCount: number): Promise<string> {
  const vod = { segmentCount, segmentSizeBytes: 3 * MB };
  return (await world.addVod(vod)).uploadId;
}

async function statesOf(ids: readonly string[]) {
  const uploads = await Promise.all(ids.map((id) => world.upload(id)));
  return uploads.map(({ status, errorMessage }) => [status, errorMessage]);
}

const consume = (uploadId: string) => world.archiver.consume({ uploadId });

it("does not begin an archive that is larger than the disk, and says so", async () => {
  roomBytes = 25 * MB;
  const large = await addVod(12);
  await consume(large);
  expect(await world.upload(large)).toMatchObject({
    phase: "waiting",
    retryCount: 0,
    errorMessage: expect.stringMatching(
      /^The disk has no room for the .* that this archive still needs\.$/,
    ),
  });
  const small = await addVod(4);
  await consume(small);
  roomBytes = 100 * MB;
  await world.archiveToEnd(large);
  expect(await statesOf([large, small])).toEqual([
    ["completed", null],
    ["completed", null],
  ]);
});

it("two archives that fit alone, but not together, are copied one after the other", async () => {
  roomBytes = 60 * MB;
  const ids = [await addVod(12), await addVod(12)];
  await Promise.all(ids.map(consume));
  const uploads = await Promise.all(ids.map((id) => world.upload(id)));
  expect(uploads.map(({ status }) => status).sort()).toEqual(["completed", "processing"]);
  expect(uploads.find(({ status }) => status === "processing")).toMatchObject({
    processedSize: 0,
    errorMessage: expect.stringMatching(/^The disk has no room .* beside the archives/),
  });
  roomBytes = 60 * MB;
  for (const id of ids) await world.archiveToEnd(id);
  expect(await statesOf(ids)).toEqual([
    ["completed", null],
    ["completed", null],
  ]);
});

it("an archive begins beside one that is half stored, if the rest of both fits", async () => {
  roomBytes = 80 * MB;
  const [first, second] = [await addVod(12), await addVod(12)];
  let beside: Promise<unknown> | undefined;
  onPart = () => {
    if (roomBytes < 62 * MB) beside ??= consume(second);
  };
  await consume(first);
  await beside;
  expect(await statesOf([first, second])).toEqual([
    ["completed", null],
    ["completed", null],
  ]);
});

it("when room gets short during a copy, the archive nearest its end goes on", async () => {
  const [far, near] = [await addVod(30), await addVod(12)];
  let parts = 0;
  onPart = () => {
    parts += 1;
    // Another program fills the disk.
    if (parts === 4) roomBytes = 40 * MB;
  };
  await Promise.all([far, near].map(consume));
  expect(await statesOf([far, near])).toEqual([
    ["processing", expect.stringMatching(/^The disk has no room/)],
    ["completed", null],
  ]);
  const [row] = await world.context.platform.database.all(
    sql`SELECT stored_bytes FROM uploads WHERE id = ${far}`,
  );
  expect(Number(row?.stored_bytes)).toBeGreaterThan(0);
  roomBytes = 100 * MB;
  await world.archiveToEnd(far);
  expect(await world.upload(far)).toMatchObject({ status: "completed", retryCount: 0 });
});

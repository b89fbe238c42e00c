import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { StoreError, type ObjectStore, type StoredPart } from "#service/ports/object-store.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";

/** What the store does wrong in a test, and what it was asked. */
type Mishap = {
  refusesPart: number | null;
  refusesObject: boolean;
  /** Parts beyond this one are gone, until they are stored again. */
  heldParts: number;
  readonly asked: (readonly StoredPart[])[];
  readonly stored: number[];
};

let mishap: Mishap;
beforeEach(() => {
  mishap = {
    refusesPart: null,
    refusesObject: false,
    heldParts: Infinity,
    asked: [],
    stored: [],
  };
});

let world: ArchiveWorld;
beforeAll(async () => {
  world = await openArchiveWorld({
    changePlatform: (platform) => ({ ...platform, objects: forgetful(platform.objects) }),
  });
});
afterAll(() => world.close());

/** A store that loses parts as a disk does: it says so once, and when it is asked. */
function forgetful(objects: ObjectStore): ObjectStore {
  return {
    ...objects,
    async uploadPart(handle, partNumber, bytes, digest) {
      if (mishap.refusesPart === partNumber) {
        mishap.refusesPart = null;
        throw new StoreError("parts_lost", "The disk refused");
      }
      mishap.stored.push(partNumber);
      return await objects.uploadPart(handle, partNumber, bytes, digest);
    },
    async countHeldParts(_handle, parts) {
      mishap.asked.push(parts);
      const held = Math.min(mishap.heldParts, parts.length);
      mishap.heldParts = Infinity;
      return held;
    },
    async completeMultipart(handle, parts) {
      if (mishap.refusesObject) {
        mishap.refusesObject = false;
        throw new StoreError("bad_part", "Part 2 is damaged on the disk");
      }
      return await objects.completeMultipart(handle, parts);
    },
  };
}

/** Five parts of 8 MiB. */
const FIVE_PARTS = { segmentCount: 12, segmentSizeBytes: 3_000_000 } as const;

async function archive(): Promise<void> {
  const vod = await world.twitch.control.addVod(FIVE_PARTS);
  const upload = await world.archiveToEnd(await world.addUpload(vod.id));
  expect(upload).toMatchObject({ status: "completed", retryCount: 0 });
  const source = await world.twitch.control.sourceDigest(vod.id);
  expect(await world.storedDigest(upload.fileKey ?? "")).toMatchObject({ sha256: source.sha256 });
}

it("a copy whose disk loses parts goes on from those that are left", async () => {
  mishap.refusesPart = 4;
  mishap.heldParts = 1;
  await archive();
  expect(mishap.asked).toHaveLength(1);
  expect(mishap.stored.filter((partNumber) => partNumber === 1)).toHaveLength(1);
  expect(mishap.stored.filter((partNumber) => partNumber === 2)).toHaveLength(2);
});

it("parts found lost when the object is made are copied again, and no others", async () => {
  mishap.refusesObject = true;
  mishap.heldParts = 3;
  await archive();
  expect(mishap.asked.map((parts) => parts.length)).toEqual([5]);
  expect(mishap.stored.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 4, 5, 5]);
});

it("a store that keeps losing parts is left alone for a while", async () => {
  const vod = await world.twitch.control.addVod(FIVE_PARTS);
  const uploadId = await world.addUpload(vod.id);
  const refusing = world.newArchiver((platform) => ({
    ...platform,
    objects: {
      ...platform.objects,
      uploadPart: () => Promise.reject(new StoreError("parts_lost", "The disk refused")),
    },
  }));
  await refusing.consume({ uploadId });
  expect(await world.upload(uploadId)).toMatchObject({
    status: "processing",
    errorMessage: expect.stringContaining("The disk refused"),
  });
  expect(await world.archiveToEnd(uploadId)).toMatchObject({ status: "completed", retryCount: 0 });
});

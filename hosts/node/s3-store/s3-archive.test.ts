import { afterAll, beforeAll, expect, it } from "vitest";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { sidecarKeys } from "#service/storage/object-keys.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { openS3Buckets, S3_SERVER_WITHIN_MS, type S3Buckets } from "../testing/s3-buckets.ts";

let buckets: S3Buckets;
let bucket: ObjectStore;
let world: ArchiveWorld;

beforeAll(async () => {
  buckets = await openS3Buckets(1);
  // The server's tags are random: stored bytes are verified by reading them back.
  bucket = { ...buckets.take(), partTagAlgorithm: "none" };
  world = await openArchiveWorld({
    changePlatform: (platform) => ({ ...platform, objects: bucket }),
    // The bucket runs in real time.
    clockFactor: 1,
  });
}, S3_SERVER_WITHIN_MS);
afterAll(async () => {
  await world.close();
  await buckets.close();
}, S3_SERVER_WITHIN_MS);

async function keysInBucket(): Promise<readonly ObjectKey[]> {
  const { objects } = await bucket.list({});
  return objects.map(({ key }) => key);
}

it("an archive in a bucket holds the source's bytes, and nothing else is left", async () => {
  const vod = await world.twitch.control.addVod({ segmentCount: 5, segmentSizeBytes: 5_000_000 });
  const upload = await world.archiveToEnd(await world.addUpload(vod.id));
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  const source = await world.twitch.control.sourceDigest(vod.id);
  const key = objectKeySchema.parse(upload.fileKey);
  const found = await bucket.get(key);
  const bytes = new Uint8Array(await new Response(found?.body).arrayBuffer());
  expect(bytes.byteLength).toBe(source.sizeBytes);
  expect(await buckets.digests.sha256(bytes)).toBe(source.sha256);
  const allowed = [key, ...sidecarKeys(key)];
  expect((await keysInBucket()).filter((one) => !allowed.includes(one))).toEqual([]);
});

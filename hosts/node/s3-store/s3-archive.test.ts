import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { sidecarKeys } from "#service/archiver/object-keys.ts";
import { sql } from "#service/db/sql.ts";
import type { MultipartHandle, ObjectStore } from "#service/ports/object-store.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { createDyingPlatform } from "#service/testing/dying-platform.ts";
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

/** The recorded state while the archive is running. */
async function readRecord(
  uploadId: string,
): Promise<{ parts: number; multipart: MultipartHandle }> {
  const [row] = await world.context.platform.database.all(sql`
    SELECT object_key, multipart_id,
      (SELECT count(*) FROM upload_parts WHERE upload_id = uploads.id) AS parts
    FROM uploads WHERE id = ${uploadId}`);
  return {
    parts: Number(row?.parts),
    multipart: {
      key: objectKeySchema.parse(row?.object_key),
      multipartId: String(row?.multipart_id),
    },
  };
}

async function keysInBucket(): Promise<readonly ObjectKey[]> {
  const { objects } = await bucket.list({});
  return objects.map(({ key }) => key);
}

it("an archive into a bucket whose process dies half way goes on and holds the source's bytes, and nothing else is left", async () => {
  const vod = await world.twitch.control.addVod({
    segmentCount: 12,
    segmentSizeBytes: 5_000_000,
    // Slow enough to be interrupted halfway.
    paceBytesPerSecond: 20_000_000,
  });
  const uploadId = await world.addUpload(vod.id);
  const dying = createDyingPlatform(world.context.platform, {
    kind: "vanish",
    atCall: Infinity,
    isAfterEffect: true,
  });
  void world.newArchiver(() => dying.platform).consume({ uploadId });
  await vi.waitFor(async () => expect((await readRecord(uploadId)).parts).toBeGreaterThan(1), {
    interval: 10,
    timeout: 90_000,
  });
  dying.die();
  const { multipart } = await readRecord(uploadId);
  expect(await bucket.head(multipart.key)).toBeNull();

  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({ status: "completed", errorMessage: null, retryCount: 0 });
  const source = await world.twitch.control.sourceDigest(vod.id);
  const found = await bucket.get(multipart.key);
  const bytes = new Uint8Array(await new Response(found?.body).arrayBuffer());
  expect(bytes.byteLength).toBe(source.sizeBytes);
  expect(await buckets.digests.sha256(bytes)).toBe(source.sha256);
  // The first part contains all of the first segment, which was therefore not fetched again.
  const ofFirst = { vodId: vod.id, kind: "segment", segmentIndex: 0 } as const;
  expect(await world.twitch.control.requests(ofFirst)).toHaveLength(1);
  // R2 does not list unfinished uploads, but reports a missing one.
  await expect(bucket.uploadPart(multipart, 1, bytes.subarray(0, 10))).rejects.toMatchObject({
    kind: "no_such_upload",
  });
  const allowed = [multipart.key, ...sidecarKeys(multipart.key)];
  expect((await keysInBucket()).filter((key) => !allowed.includes(key))).toEqual([]);
}, 120_000);

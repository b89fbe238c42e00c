import { afterAll, beforeAll, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { sidecarKeys } from "#service/storage/object-keys.ts";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { openS3Buckets, type S3Buckets } from "../testing/s3-buckets.ts";

const MIB = 1024 * 1024;

let buckets: S3Buckets;
let world: ArchiveWorld;

beforeAll(async () => {
  buckets = await openS3Buckets(1);
  world = await openArchiveWorld({
    changePlatform: (platform) => ({ ...platform, objects: buckets.take() }),
    // The bucket runs in real time.
    clockFactor: 1,
  });
});
afterAll(async () => {
  await world.close();
  await buckets.close();
});

async function archive(): Promise<{ vodId: string; uploadId: string; key: string }> {
  const vod = await world.twitch.control.addVod({ segmentCount: 5, segmentSizeBytes: 4 * MIB });
  const uploadId = await world.addUpload(vod.id);
  await world.archiveToEnd(uploadId);
  const [row] = await world.context.platform.database.all(
    sql`SELECT object_key FROM uploads WHERE id = ${uploadId}`,
  );
  return { vodId: vod.id, uploadId, key: String(row?.object_key) };
}

/** The tags of this server are random, as in encrypted buckets and behind some gateways. */
it("an archive is complete in a bucket whose part tags are not digests", async () => {
  const { vodId, uploadId, key } = await archive();
  expect(await world.upload(uploadId)).toMatchObject({ status: "completed", errorMessage: null });
  const found = await world.context.platform.objects.get(objectKeySchema.parse(key));
  const bytes = new Uint8Array(await new Response(found?.body).arrayBuffer());
  const source = await world.twitch.control.sourceDigest(vodId);
  expect(await buckets.digests.sha256(bytes)).toBe(source.sha256);
  const allowed = [key, ...sidecarKeys(key)];
  const { keys } = await world.storeContents();
  expect(keys.filter((one) => !allowed.includes(one))).toEqual([]);
});

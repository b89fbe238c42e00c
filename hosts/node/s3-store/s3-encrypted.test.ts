import { afterAll, beforeAll, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { sidecarKeys } from "#service/storage/object-keys.ts";
import { sql } from "#service/db/sql.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { openS3Buckets, type S3Buckets } from "../testing/s3-buckets.ts";

const MIB = 1024 * 1024;

let buckets: S3Buckets;
let world: ArchiveWorld;

beforeAll(async () => {
  buckets = await openS3Buckets(1);
  world = await openArchiveWorld({
    changePlatform: (platform) => ({ ...platform, objects: takeEncrypted() }),
    // The bucket runs in real time.
    clockFactor: 1,
  });
});
afterAll(async () => {
  await world.close();
  await buckets.close();
});

/** R2's endpoint, whose tags are random here, with the headers of Amazon's SSE-KMS buckets. */
function takeEncrypted(): ObjectStore {
  const tags = new Map<string, Map<number, string>>();

  const fetch: OutgoingFetch = async (address, init = {}) => {
    const query = new URL(address).searchParams;
    const uploadId = query.get("uploadId");
    const partNumber = Number(query.get("partNumber"));
    if (uploadId === null) return await buckets.fetch(address, init);
    if (init.method === "GET") return listParts(tags.get(uploadId) ?? new Map());
    const response = await buckets.fetch(address, init);
    if (partNumber === 0 || !response.ok) return response;
    const own = tags.get(uploadId) ?? new Map<number, string>();
    tags.set(uploadId, own.set(partNumber, response.headers.get("etag") ?? ""));
    const headers = new Headers(response.headers);
    headers.set("x-amz-server-side-encryption", "aws:kms");
    return new Response(response.body, { status: response.status, headers });
  };

  return buckets.take(fetch);
}

function listParts(tags: ReadonlyMap<number, string>): Response {
  const parts = [...tags].map(
    ([number, tag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`,
  );
  return new Response(
    `<ListPartsResult><IsTruncated>false</IsTruncated>${parts.join("")}</ListPartsResult>`,
  );
}

async function archive(): Promise<{ vodId: string; uploadId: string; key: string }> {
  const vod = await world.twitch.control.addVod({ segmentCount: 5, segmentSizeBytes: 4 * MIB });
  const uploadId = await world.addUpload(vod.id);
  await world.archiveToEnd(uploadId);
  const [row] = await world.context.platform.database.all(
    sql`SELECT object_key FROM uploads WHERE id = ${uploadId}`,
  );
  return { vodId: vod.id, uploadId, key: String(row?.object_key) };
}

it("an archive in an encrypted bucket is complete, although its part tags are not digests", async () => {
  const { vodId, uploadId, key } = await archive();
  expect(await world.upload(uploadId)).toMatchObject({ status: "completed", errorMessage: null });
  const found = await world.context.platform.objects.get(objectKeySchema.parse(key));
  const bytes = new Uint8Array(await new Response(found?.body).arrayBuffer());
  const source = await world.twitch.control.sourceDigest(vodId);
  expect(await buckets.digests.sha256(bytes)).toBe(source.sha256);
  const allowed = [key, ...sidecarKeys(key)];
  const { keys } = await world.storeContents();
  expect(keys.filter((one) => !allowed.includes(one))).toEqual([]);
}, 120_000);

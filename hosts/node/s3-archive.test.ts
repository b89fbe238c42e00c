import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { sidecarKeys } from "#service/archiver/object-keys.ts";
import { sql } from "#service/db/sql.ts";
import type { MultipartHandle, ObjectStore } from "#service/platform.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { createDyingPlatform } from "#service/testing/dying-platform.ts";
import { createByteThreads, type ByteThreads } from "./byte-threads.ts";
import { createDigests } from "./digests.ts";
import { createOutgoingFetch, type OutgoingConnections } from "./outgoing-fetch.ts";
import { createS3Client } from "./s3-client.ts";
import { createS3Store } from "./s3-store.ts";
import { type S3Server, startS3Server, TEST_CREDENTIALS } from "./testing/s3-server.ts";

/** The bucket is a process of its own, which a busy machine keeps waiting. */
const START_WITHIN_MS = 60_000;

let server: S3Server;
let outgoing: OutgoingConnections;
let threads: ByteThreads;
let bucket: ObjectStore;
let world: ArchiveWorld;

beforeAll(async () => {
  server = await startS3Server(1);
  outgoing = createOutgoingFetch();
  threads = createByteThreads();
  bucket = openBucket();
  world = await openArchiveWorld({
    changePlatform: (platform) => ({ ...platform, objects: bucket }),
    // The bucket answers in its own time.
    clockFactor: 1,
  });
}, START_WITHIN_MS);
afterAll(async () => {
  await world.close();
  await outgoing.close();
  await threads.close();
  await server.close();
}, START_WITHIN_MS);

function openBucket(): ObjectStore {
  const [name = ""] = server.buckets;
  const client = createS3Client({
    address: { bucket: name, endpoint: server.endpoint, region: "auto" },
    credentials: TEST_CREDENTIALS,
    fetch: outgoing.fetch,
    clock: systemClock,
    random: systemRandom,
  });
  // The server's tags are random: what it holds is proved by reading all of it back.
  return { ...createS3Store(client, createDigests(threads), name), partTagAlgorithm: "none" };
}

/** What is on record while the archive is under way. */
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
    // Slow enough to be caught half way.
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
  expect(await createDigests(threads).sha256(bytes)).toBe(source.sha256);
  // The first part holds all of the first segment, which therefore did not come again.
  const ofFirst = { vodId: vod.id, kind: "segment", segmentIndex: 0 } as const;
  expect(await world.twitch.control.requests(ofFirst)).toHaveLength(1);
  // R2 does not list unfinished uploads, but tells when there is none.
  await expect(bucket.uploadPart(multipart, 1, bytes.subarray(0, 10))).rejects.toMatchObject({
    kind: "no_such_upload",
  });
  const allowed = [multipart.key, ...sidecarKeys(multipart.key)];
  expect((await keysInBucket()).filter((key) => !allowed.includes(key))).toEqual([]);
}, 120_000);

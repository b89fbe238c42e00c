import { afterAll, beforeAll } from "vitest";
import { describeObjectStore } from "../conformance/object-store-suite.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { createByteThreads, type ByteThreads } from "./byte-threads.ts";
import { createDigests } from "./digests.ts";
import { createOutgoingFetch, type OutgoingConnections } from "./outgoing-fetch.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { createS3Client } from "./s3-client.ts";
import { createS3Store } from "./s3-store.ts";
import { type S3Server, startS3Server, TEST_CREDENTIALS } from "./testing/s3-server.ts";

/** A fresh one for each test: at least as many as the suite has tests. */
const BUCKETS = 80;

let server: S3Server;
let outgoing: OutgoingConnections;
let threads: ByteThreads;

beforeAll(async () => {
  server = await startS3Server(BUCKETS);
  outgoing = createOutgoingFetch();
  threads = createByteThreads();
});
afterAll(async () => {
  await outgoing.close();
  await threads.close();
  await server.close();
});

describeObjectStore(
  "A bucket behind S3's protocol",
  {
    refusesUnequalParts: true,
    listsMetadata: false,
    listsMultiparts: false,
    partTagsAreDigests: false,
  },
  async () => {
    const bucket = server.buckets.pop();
    if (bucket === undefined) throw new Error("The suite has more tests than there are buckets");
    const client = createS3Client({
      address: { bucket, endpoint: server.endpoint, region: "auto" },
      credentials: TEST_CREDENTIALS,
      fetch: outgoing.fetch,
      clock: systemClock,
      random: systemRandom,
    });
    const objects = createS3Store(client, createDigests(threads), bucket);
    return { objects, close: async () => undefined };
  },
);

import { afterAll, beforeAll } from "vitest";
import { describeObjectStore } from "#hosts/conformance/object-store-suite.ts";
import { openS3Buckets, type S3Buckets } from "../testing/s3-buckets.ts";

/** One for each test: at least as many as the suite has tests. */
const BUCKETS = 80;

let buckets: S3Buckets;

beforeAll(async () => {
  buckets = await openS3Buckets(BUCKETS);
});
afterAll(() => buckets.close());

describeObjectStore(
  "A prefix of a bucket behind S3's protocol",
  {
    refusesUnequalParts: true,
    listsMetadata: false,
    listsMultiparts: false,
    partTagsAreDigests: false,
  },
  async () => {
    const { objects, client, address } = buckets.takeWithClient({ prefix: "team/a/" });
    const neighbour = buckets.takeWithClient({ prefix: "team/ab/", bucket: address.bucket });
    for (const key of ["vods/1", "a/1", "m/12/a", "theirs"])
      await neighbour.client.open({
        doing: "Writing an object",
        method: "PUT",
        key,
        body: "theirs",
      });
    return {
      objects,
      async putByOthers(name, bytes) {
        await client.open({ doing: "Writing an object", method: "PUT", key: name, body: bytes });
      },
      close: async () => undefined,
    };
  },
);

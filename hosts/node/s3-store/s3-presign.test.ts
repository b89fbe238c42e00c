import { afterAll, beforeAll, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { startS3Server, TEST_CREDENTIALS, type S3Server } from "../testing/s3-server.ts";
import { S3_SERVER_WITHIN_MS } from "../testing/s3-buckets.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { createS3Client } from "./s3-client.ts";
import { createS3Presigner } from "./s3-presign.ts";

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server(1);
}, S3_SERVER_WITHIN_MS);
afterAll(() => server.close(), S3_SERVER_WITHIN_MS);

test("a presigned URL gives access to its object and no other", async () => {
  const { endpoint, buckets } = server;
  const address = { bucket: buckets[0] ?? "", prefix: "team/", endpoint, region: "auto" };
  const client = createS3Client({
    address,
    credentials: TEST_CREDENTIALS,
    fetch,
    clock: systemClock,
    random: systemRandom,
  });
  for (const key of ["vods/1", "vods/2"])
    await client({ doing: "Writing an object", method: "PUT", key, body: `bytes of ${key}` });
  const contentDisposition = `attachment; filename="a b+c.ts"; filename*=UTF-8''a%20b%2Bc.ts`;
  const url = await createS3Presigner(address, TEST_CREDENTIALS)(objectKeySchema.parse("vods/1"), {
    validSec: 300,
    contentType: "application/octet-stream",
    contentDisposition,
  });
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe("bytes of vods/1");
  // This server does not implement the last two.
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
    "X-Amz-Expires": "300",
    "response-content-type": "application/octet-stream",
    "response-content-disposition": contentDisposition,
  });
  const other = await fetch(url.replace("vods/1", "vods/2"));
  await other.body?.cancel();
  expect(other.status).toBe(403);
});

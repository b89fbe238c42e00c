import { afterAll, beforeAll, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { openS3Buckets, type S3Buckets } from "../testing/s3-buckets.ts";
import { createS3Presigner } from "./s3-presign.ts";

let buckets: S3Buckets;
beforeAll(async () => {
  buckets = await openS3Buckets(1);
});
afterAll(() => buckets.close());

test("a presigned URL gives access to its object and no other", async () => {
  const { client, address, credentials } = buckets.takeWithClient({ prefix: "team/" });
  for (const key of ["vods/1", "vods/2"])
    await client({ doing: "Writing an object", method: "PUT", key, body: `bytes of ${key}` });
  const contentDisposition = `attachment; filename="a b+c.ts"; filename*=UTF-8''a%20b%2Bc.ts`;
  const url = await createS3Presigner(address, credentials)(objectKeySchema.parse("vods/1"), {
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

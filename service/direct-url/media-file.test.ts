import { expect, it } from "vitest";
import { MAX_MANUAL_UPLOAD_BYTES } from "#contract/manual-uploads.ts";
import { versionOf } from "./media-file.ts";

function announcing(sizeBytes: number): Response {
  const headers = { etag: '"1"', "content-range": `bytes 0-4095/${sizeBytes}` };
  return new Response(null, { status: 206, headers });
}

it("a file larger than the maximum is rejected", () => {
  expect(versionOf(announcing(MAX_MANUAL_UPLOAD_BYTES)).sizeBytes).toBe(MAX_MANUAL_UPLOAD_BYTES);
  for (const sizeBytes of [MAX_MANUAL_UPLOAD_BYTES + 1, 999_999_999_999_999])
    expect(() => versionOf(announcing(sizeBytes))).toThrow("A file may have at most");
});

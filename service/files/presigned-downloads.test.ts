import { expect, test } from "vitest";
import * as calls from "#contract/files.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

test("a download redirects to a presigned URL that lives as long as the session, if the store offers them", async () => {
  const apart = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      objects: {
        ...platform.objects,
        presign: async (wanted, options) =>
          `https://bucket.example/${wanted}?${new URLSearchParams({ ...options, validSec: String(options.validSec) }).toString()}`,
      },
    }),
  });
  const reader = await apart.signIn(ADMIN);
  const objectKey = "manual/1001/presigned/film.mp4";
  await seedFile(apart.platform, {
    key: objectKey,
    bytes: new Uint8Array(5),
    uploadType: "manual",
  });
  const { downloadUrl = "" } = await reader.expect(calls.getFile, `/admin/r2/file/${objectKey}`);
  const response = await apart.visitor().send("GET", downloadUrl, { headers: { origin: "" } });
  expect(response.status).toBe(302);
  const location = new URL(response.headers.get("location") ?? "");
  expect(location.origin + location.pathname).toBe(`https://bucket.example/${objectKey}`);
  expect(location.searchParams.get("validSec")).toBe(String(12 * 60 * 60));
  expect(location.searchParams.get("contentDisposition")).toMatch(/^attachment; filename=/);
  await apart.close();
});

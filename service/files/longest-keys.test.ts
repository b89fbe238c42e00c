import { afterAll, expect, test } from "vitest";
import * as calls from "#contract/files.ts";
import { getUpload } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { createTusUpload } from "#service/testing/tus-requests.ts";

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

/** R2 and S3 allow keys of 1,024 bytes; the service allows 512 (contract/files.ts). */
const LENGTHS = [512, 513, 1_024, 1_025];

function keysOf(length: number): readonly string[] {
  const inFolders = `vods/1/2/${"folder/".repeat(140)}`.slice(0, length - 3);
  return ["k".repeat(length), `${inFolders.replace(/\/$/, "_")}.ts`, `manual/${"é".repeat(999)}`]
    .map((key) => key.slice(0, length))
    .filter((key) => key.length === length);
}

test.for(LENGTHS)(
  "an unknown key of %i bytes is rejected or not found and changes nothing",
  async (length) => {
    const due = length <= 512 ? "not_found" : "invalid_request";
    for (const key of keysOf(length)) {
      const address = `/admin/r2/file/${encodeURI(key)}`;
      const isText = /^[\w/.-]+$/.test(key);
      for (const [method, query] of [
        ["GET", ""],
        ["GET", "?download=true"],
        ["DELETE", ""],
      ] as const) {
        const answer = await admin.call(method, address + query);
        expect([key, answer.error?.code]).toEqual([key, isText ? due : "invalid_request"]);
      }
      for (const list of [calls.browseFiles, calls.matchingFiles]) {
        const search = new URLSearchParams({ search: key }).toString();
        const answer = await admin.call("GET", `${list.path}?${search}`);
        expect(answer.error?.details).toHaveProperty("search");
      }
      const chosen = { key, size: 0, status: "complete" };
      const bulk = await admin.call("POST", calls.bulkDeleteFiles.path, {
        body: { files: [chosen] },
      });
      expect([key, bulk.status]).toEqual([key, isText && length <= 512 ? 200 : 400]);
    }
    expect(await vodkeep.platform.objects.list({})).toMatchObject({ objects: [], cursor: null });
    expect(await vodkeep.platform.database.all(sql`SELECT 1 FROM store_removals`)).toEqual([]);
  },
);

test.for(LENGTHS)("a name of %i bytes is shortened, and more so in its key", async (length) => {
  const name = `${"n".repeat(length - 4)}.mp4`;
  const created = await createTusUpload(admin, {
    "upload-length": "20",
    "upload-metadata": `filename ${Buffer.from(name).toString("base64")}`,
  });
  const id = (created.headers.get("location") ?? "").split("/").at(-1) ?? "";
  expect(await admin.expect(getUpload, `/admin/uploads/${id}`)).toMatchObject({
    filename: `${"n".repeat(196)}.mp4`,
    fileKey: `manual/${ADMIN}/${id}/${"n".repeat(96)}.mp4`,
  });
});

import { afterAll, expect, test } from "vitest";
import * as calls from "#contract/files.ts";
import { getUpload } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { createTusUpload, TUS_BYTES } from "#service/testing/tus-requests.ts";

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
  "a key of %i bytes leads to nothing, and no further than its address",
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

test.for(LENGTHS)(
  "a file whose name has %i bytes is found, saved and deleted by a key of ours",
  async (length) => {
    const bytes = randomBytes(20);
    const name = `${"n".repeat(length - 4)}.mp4`;
    const headers = {
      ...TUS_BYTES,
      "upload-length": String(bytes.length),
      "upload-metadata": `filename ${Buffer.from(name).toString("base64")}`,
    };
    const created = await createTusUpload(admin, headers, { rawBody: bytes });
    expect(created.status).toBe(201);
    const location = created.headers.get("location") ?? "";
    const id = location.slice(location.lastIndexOf("/") + 1);
    await vodkeep.service.consume({ uploadId: id });
    const { filename, fileKey } = await admin.expect(getUpload, `/admin/uploads/${id}`);
    expect(filename).toBe(`${"n".repeat(196)}.mp4`);
    expect(fileKey).toBe(`manual/${ADMIN}/${id}/${"n".repeat(96)}.mp4`);

    const { files } = await admin.expect(
      calls.browseFiles,
      `${calls.browseFiles.path}?search=${encodeURIComponent(fileKey ?? "")}`,
    );
    expect(files).toMatchObject([{ key: fileKey, filename, status: "complete" }]);
    const address = `/admin/r2/file/${fileKey}`;
    const { downloadUrl = "" } = await admin.expect(calls.getFile, `${address}?download=true`);
    const download = await vodkeep.visitor().send("GET", downloadUrl, { headers: { origin: "" } });
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(bytes);
    expect(await admin.expect(calls.deleteFile, address)).toEqual({ key: fileKey, size: 20 });
    expect((await admin.call("GET", address)).status).toBe(404);
  },
);

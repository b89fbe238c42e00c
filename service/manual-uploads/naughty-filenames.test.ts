import { afterAll, expect, test } from "vitest";
import { deleteFile, getFile } from "#contract/files.ts";
import { getUpload } from "#contract/uploads.ts";
import { NAUGHTY_STRINGS } from "#service/testing/naughty-strings.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { createTusUpload, TUS, TUS_BYTES } from "#service/testing/tus-requests.ts";

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

/** Characters that reverse text, are invisible, or separate folders. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/u;

/** The expected display name; null if characters of {@link STEERING} are removed or it is cut. */
function shownAs(name: string): string | null {
  const plain = name.trim();
  if (STEERING.test(name) || plain.length > 200) return null;
  return ["", ".", ".."].includes(plain) ? "upload" : plain;
}

function metadataOf(name: string): string {
  return `filename ${Buffer.from(name).toString("base64")}`;
}

async function create(
  name: string,
  headers: Record<string, string>,
  rawBody?: Uint8Array<ArrayBuffer>,
) {
  const response = await createTusUpload(
    admin,
    { "upload-length": "1", "upload-metadata": metadataOf(name), ...headers },
    rawBody === undefined ? {} : { rawBody },
  );
  expect([name, response.status]).toEqual([name, 201]);
  const address = response.headers.get("location") ?? "";
  return { address, id: address.slice(address.lastIndexOf("/") + 1) };
}

test("a file name is returned as sent, and displayed without control characters", async () => {
  for (const name of NAUGHTY_STRINGS) {
    const { address, id } = await create(name, {});
    const head = await admin.send("HEAD", address, { headers: TUS });
    expect(head.headers.get("upload-metadata")).toBe(metadataOf(name).trimEnd());
    const { filename } = await admin.expect(getUpload, `/admin/uploads/${id}`);
    expect(filename).not.toMatch(STEERING);
    expect([name, filename]).toEqual([name, shownAs(name) ?? filename]);
    expect((await admin.send("DELETE", address, { headers: TUS })).status).toBe(204);
  }
});

test("a file of any name is stored under a safe key and downloaded under a safe name", async () => {
  // Each name takes a dozen writes to the disk.
  for (const name of NAUGHTY_STRINGS.filter((_, index) => index % 10 === 0)) {
    const { id } = await create(name, TUS_BYTES, new Uint8Array(1));
    await vodkeep.service.consume({ uploadId: id });
    const { status, fileKey } = await admin.expect(getUpload, `/admin/uploads/${id}`);
    expect([name, status]).toEqual([name, "completed"]);
    expect(fileKey).toMatch(new RegExp(`^manual/${ADMIN}/${id}/[A-Za-z0-9_-][\\w.-]{0,99}$`));
    const address = `/admin/r2/file/${fileKey}`;
    const { downloadUrl = "" } = await admin.expect(getFile, address);
    const download = await vodkeep.visitor().send("GET", downloadUrl, { headers: { origin: "" } });
    expect(download.status).toBe(200);
    expect(download.headers.get("content-disposition")).toMatch(
      /^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[\w.~!$&+^`|%#-]+$/,
    );
    expect((await download.arrayBuffer()).byteLength).toBe(1);
    await admin.expect(deleteFile, address);
  }
});

test("a long name is shortened before its ending, and more so in its key", async () => {
  const { id } = await create(`${"n".repeat(500)}.mp4`, {});
  expect(await admin.expect(getUpload, `/admin/uploads/${id}`)).toMatchObject({
    filename: `${"n".repeat(196)}.mp4`,
    fileKey: `manual/${ADMIN}/${id}/${"n".repeat(96)}.mp4`,
  });
});

import { afterAll, beforeEach, expect, test } from "vitest";
import { listAudit } from "#contract/audit.ts";
import { browseFiles, deleteFile } from "#contract/files.ts";
import { getStoryboard, getThumbnail, sendThumbnail } from "#contract/pictures.ts";
import { getUpload } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { pictureKeys } from "#service/storage/object-keys.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

/** A completed manual upload, new for each test. */
let id: string;
let count = 0;
const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
beforeEach(async () => {
  count += 1;
  id = `manual${count}`;
  const { database } = vodkeep.platform;
  await seedUpload(database, { id, status: "completed", ownerId: ADMIN });
  await database.run(sql`
    UPDATE uploads SET kind = 'manual', object_key = ${keyOf(id)} WHERE id = ${id}`);
  await seedFile(vodkeep.platform, {
    key: keyOf(id),
    uploadId: id,
    uploadType: "manual",
    bytes: new Uint8Array(9),
  });
});
afterAll(() => vodkeep.close());

const keyOf = (uploadId: string) => `manual/${ADMIN}/${uploadId}/clip.mp4`;
const thumbnailAt = () => addressOf(getThumbnail, { id });

/** The beginnings of pictures, by which their types are recognised. */
const BEGINNINGS = {
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0],
  "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
  "image/webp": [0x52, 0x49, 0x46, 0x46, 4, 0, 0, 0, 0x57, 0x45, 0x42, 0x50],
};
const JPEG = BEGINNINGS["image/jpeg"];

function send(bytes: Iterable<number>, by = admin) {
  const picture = btoa(String.fromCharCode(...bytes));
  return by.call("PUT", addressOf(sendThumbnail, { id }), { body: { picture } });
}

test.for(Object.entries(BEGINNINGS))(
  "stores a picture of type %s once and serves it with that type, cacheable by the browser",
  async ([type, bytes]) => {
    expect((await admin.send("GET", thumbnailAt())).status).toBe(404);
    expect((await send(bytes)).status).toBe(200);
    const answer = await admin.send("GET", thumbnailAt());
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual(bytes);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(answer.headers.get("cache-control")).toMatch(/^private, max-age=\d{6}/);
    expect(await admin.expect(getUpload, addressOf(getUpload, { id }))).toMatchObject({
      hasThumbnail: true,
    });
    const { files } = await admin.expect(browseFiles, `${browseFiles.path}?search=${id}`);
    expect(files).toMatchObject([{ uploadId: id, hasThumbnail: true }]);
    const { items } = await admin.expect(listAudit, `${listAudit.path}?action=upload.thumbnail`);
    expect(items[0]).toMatchObject({ target: id, actor: { userId: ADMIN } });
    expect((await send(bytes)).error?.code).toBe("conflict");
  },
);

test.each([
  ["a GIF", [0x47, 0x49, 0x46, 0x38, 0x39, 0x61]],
  ["an SVG", new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>")],
  [
    "a WAV file, which starts like WebP",
    [0x52, 0x49, 0x46, 0x46, 0, 0, 0, 0, 0x57, 0x41, 0x56, 0x45],
  ],
  ["a large JPEG", [...JPEG, ...new Uint8Array(45_000)]],
])("rejects %s", async (_, bytes) => {
  expect((await send(bytes)).error?.code).toBe("invalid_request");
  expect((await admin.send("GET", thumbnailAt())).status).toBe(404);
});

test.for(["kind = 'twitch'", "status = 'failed', failure_class = 'ours'", "object_key = NULL"])(
  "rejects a picture for an upload with %s",
  async (change) => {
    const text = `UPDATE uploads SET ${change} WHERE id = '${id}'`;
    await vodkeep.platform.database.run({ sql: text, values: [] });
    expect((await send(JPEG)).error?.code).toBe("conflict");
  },
);

test("rejects a picture of another user, who could not send the file either", async () => {
  const other = await vodkeep.signInWith("1002", ["write:uploads"]);
  expect((await send(JPEG, other)).error?.code).toBe("conflict");
  expect((await send(JPEG)).status).toBe(200);
});

test("does not serve a stored object that is not a picture", async () => {
  const { thumbnail } = pictureKeys({ ownerId: ADMIN, vodId: null, uploadId: id });
  const page = new TextEncoder().encode("<script>alert(1)</script>");
  await vodkeep.platform.objects.put(thumbnail, page, { contentType: "image/png" });
  expect((await admin.send("GET", thumbnailAt())).status).toBe(404);
});

test("serves a storyboard, cacheable by the browser", async () => {
  const { storyboard } = pictureKeys({ ownerId: ADMIN, vodId: null, uploadId: id });
  const frame = { frames: 1, frameWidth: 160, frameHeight: 90, columns: 5, rows: 5 };
  const stored = { intervalSec: 2, ...frame, sheets: ["data:image/jpeg;base64,/9j/4A=="] };
  const bytes = new TextEncoder().encode(JSON.stringify(stored));
  await vodkeep.platform.objects.put(storyboard, bytes, { contentType: "application/json" });
  const address = addressOf(getStoryboard, { id });
  expect(await admin.expect(getStoryboard, address)).toEqual(stored);
  const { headers } = await admin.send("GET", address);
  expect(headers.get("cache-control")).toMatch(/^private, max-age=\d{6}/);
});

test("deleting a file also deletes its picture", async () => {
  await send(JPEG);
  await admin.expect(deleteFile, addressOf(deleteFile, { key: keyOf(id) }));
  const { objects } = await vodkeep.platform.objects.list({ prefix: `manual/${ADMIN}/${id}` });
  expect(objects).toEqual([]);
  expect((await admin.send("GET", thumbnailAt())).status).toBe(404);
});

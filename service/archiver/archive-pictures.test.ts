import { afterAll, afterEach, expect, it } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { storyboardSchema } from "#contract/pictures.ts";
import type { Upload } from "#contract/upload.ts";
import { deleteStoredFile } from "#service/files/file-deletion.ts";
import { cancelUpload } from "#service/storage/upload-actions.ts";
import { carryOutRemovals } from "#service/storage/store-removals.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";

const world = await openArchiveWorld({ clockFactor: 10 });
afterEach(() => world.twitch.control.clearFaults());
afterAll(() => world.close());

const PICTURES = "/cf_vods/|/storyboards/";

async function archive(segmentCount = 10): Promise<Upload> {
  return world.archiveToEnd(
    (await world.addVod({ segmentCount, segmentSizeBytes: 2_000 })).uploadId,
  );
}

/** The endings of the upload's objects in the store. */
async function stored({ id }: Pick<Upload, "id">): Promise<string[]> {
  const { keys } = await world.storeContents();
  return keys.flatMap((key) => key.split(`/${id}`).slice(1));
}

it("stores the thumbnail and the complete storyboard beside the file", async () => {
  const upload = await archive(60);
  expect(upload).toMatchObject({ status: "completed", hasThumbnail: true, hasStoryboard: true });
  const stem = (upload.fileKey ?? "").replace(/\.ts$/, "");
  expect(await world.storedText(`${stem}.thumbnail`)).toContain("PNG");
  const text = await world.storedText(`${stem}.storyboard.json`);
  const storyboard = storyboardSchema.parse(JSON.parse(text));
  expect(storyboard).toMatchObject({ frames: 50, intervalSec: 12, columns: 5, rows: 5 });
  expect(storyboard.sheets).toHaveLength(2);
  const sheet = await fetch(storyboard.sheets[1] ?? "");
  expect(sheet.headers.get("content-type")).toBe("image/png");
  // The width of a PNG is at byte 16.
  const width = new DataView(await sheet.arrayBuffer()).getUint32(16);
  expect(width).toBe(storyboard.columns * storyboard.frameWidth);
});

it.each([
  ["return an error", { type: "status", status: 503 }],
  ["are HTML pages", { type: "html" }],
  ["are SVG scripts", { type: "body", body: "<svg onload='alert(1)'/>", contentType: "image/png" }],
  ["never end", { type: "endless" }],
  ["never respond", { type: "stall" }],
  ["redirect to another host", { type: "redirect", location: "https://example.org/picture.png" }],
] as const)("completes the archive without pictures that %s", async (_, fault) => {
  await world.twitch.control.addFault({ match: { path: PICTURES }, fault, times: "forever" });
  const upload = await archive();
  expect(upload).toMatchObject({
    status: "completed",
    hasThumbnail: false,
    hasStoryboard: false,
    retryCount: 0,
  });
  expect(await stored(upload)).toEqual([".m3u8", ".manifest.json", ".ts"]);
});

it("keeps the thumbnail if the storyboard fails", async () => {
  const match = { path: "/storyboards/" };
  await world.twitch.control.addFault({ match, fault: { type: "empty" }, times: "forever" });
  expect(await archive()).toMatchObject({ hasThumbnail: true, hasStoryboard: false });
});

it("fetches pictures in a later run if the first run could not", async () => {
  const { uploadId } = await world.addVod(
    { segmentCount: 10, segmentSizeBytes: 2_000 },
    { segment: 5, fault: { type: "status", status: 429, retryAfter: 40 } },
  );
  const fault = { type: "status", status: 500 } as const;
  await world.twitch.control.addFault({ match: { path: PICTURES }, fault });
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({ status: "completed", hasThumbnail: true, hasStoryboard: true });
});

it("deletes the pictures with the file", async () => {
  const upload = await archive();
  const key = objectKeySchema.parse(upload.fileKey);
  await deleteStoredFile(world.context, key, { actorId: upload.userId, requestId: "test" });
  expect(await stored(upload)).toEqual([]);
  expect(await world.upload(upload.id)).toMatchObject({
    hasThumbnail: false,
    hasStoryboard: false,
  });
});

it("deletes the pictures when the upload is cancelled", async () => {
  const { uploadId: id } = await world.addVod(
    { segmentCount: 10, segmentSizeBytes: 2_000 },
    { fault: { type: "stall" }, times: "forever" },
  );
  const ended = world.archiveToEnd(id);
  await expect.poll(async () => (await world.upload(id)).hasStoryboard).toBe(true);
  await cancelUpload(world.context, {
    uploadId: (await world.upload(id)).id,
    actorId: null,
    atMs: 1,
  });
  expect(await ended).toMatchObject({ status: "cancelled", hasThumbnail: false });
  await world.context.platform.clock.sleep(10_001);
  await carryOutRemovals(world.context);
  expect(await stored({ id: (await world.upload(id)).id })).toEqual([]);
});

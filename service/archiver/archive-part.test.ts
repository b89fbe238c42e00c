import { afterAll, expect, it } from "vitest";
import type { Upload } from "#contract/upload.ts";
import { objectKeySchema } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import { describeFile, findFile } from "#service/files/file-row.ts";
import { rebuildIndex } from "#service/proof/rebuild-index.ts";
import { itemIdOf } from "#service/storage/item-id.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { chaptersOfPart } from "./archive-part.ts";
import { decodeManifest } from "./archive-manifest.ts";

const world = await openArchiveWorld({ clockFactor: 50 });
afterAll(() => world.close());

/** Segments of 10 s each: the third to the fifth. */
const PART = { startSec: 25, endSec: 47 };

const addPart = (vodId: string, part = PART) => world.addUpload(itemIdOf(vodId, part));

async function read(upload: Upload) {
  const text = await world.storedText(`${upload.fileKey}`.replace(/\.\w+$/, ".manifest.json"));
  const manifest = decodeManifest(new TextEncoder().encode(text));
  if (manifest?.stored === undefined) throw new Error("The manifest is not whole");
  const found = await world.context.platform.objects.get(objectKeySchema.parse(upload.fileKey));
  const bytes = new Uint8Array(await new Response(found?.body).arrayBuffer());
  return { manifest, stored: manifest.stored, bytes };
}

/** Of a whole archive, the bytes of the segments, with the init section that they need. */
async function bytesOf(upload: Upload, segments: readonly number[]): Promise<Uint8Array> {
  const { manifest, stored, bytes } = await read(upload);
  let offset = 0;
  let init: Uint8Array | null = null;
  const pieces: Uint8Array[] = [];
  manifest.units.forEach((unit, index) => {
    const end = offset + (stored.units[index]?.sizeBytes ?? 0);
    const piece = bytes.subarray(offset, end);
    offset = end;
    if (unit.segment === null) init = piece;
    else if (segments.includes(unit.segment)) {
      if (init !== null) pieces.push(init);
      init = null;
      pieces.push(piece);
    }
  });
  return new Uint8Array(await new Blob(pieces.map((piece) => piece.slice())).arrayBuffer());
}

it.each(["ts", "fmp4", "multi-init-fmp4"] as const)(
  "a part of %s has the bytes of its segments, beside the whole VOD",
  async (container) => {
    const { vodId, uploadId } = await world.addVod({ segmentCount: 8, container });
    const whole = await world.archiveToEnd(uploadId);
    const [one, other] = [await addPart(vodId), await addPart(vodId, { startSec: 0, endSec: 20 })];
    const part = await world.archiveToEnd(one);
    const second = await world.archiveToEnd(other);
    expect(part).toMatchObject({
      status: "completed",
      part: PART,
      metadata: {
        streamTitle: expect.stringMatching(/^Part 0:00:25-0:00:47 of /),
        durationSec: 30,
        totalSegments: 3,
        statedDurationSec: null,
      },
      debugInfo: { twitchVodId: vodId },
    });
    expect(Buffer.compare((await read(part)).bytes, await bytesOf(whole, [2, 3, 4]))).toBe(0);
    expect(Buffer.compare((await read(second)).bytes, await bytesOf(whole, [0, 1]))).toBe(0);
    expect((await read(part)).manifest).toMatchObject({ version: 2, part: PART });
    expect((await read(whole)).manifest).toMatchObject({ version: 1 });
  },
);

it("is interrupted and resumed, and comes back from its manifest", async () => {
  const { vodId } = await world.addVod({
    segmentCount: 12,
    segmentSizeBytes: 3_000_000,
    paceBytesPerSecond: 30_000_000,
  });
  const uploadId = await addPart(vodId, { startSec: 20, endSec: 100 });
  for (let runs = 0; runs < 3; runs += 1) {
    const archiver = world.newArchiver();
    const running = archiver.consume({ uploadId });
    await world.context.platform.clock.sleep(4_000);
    await archiver.drain();
    await running;
  }
  const before = await world.archiveToEnd(uploadId);
  const whole = await world.archiveToEnd(await world.addUpload(vodId));
  const segments = [2, 3, 4, 5, 6, 7, 8, 9];
  expect(Buffer.compare((await read(before)).bytes, await bytesOf(whole, segments))).toBe(0);
  const { database } = world.context.platform;
  const file = await findFile(database, `${before.fileKey}`);
  await database.batch([
    sql`DELETE FROM files WHERE upload_id = ${uploadId}`,
    sql`DELETE FROM uploads WHERE id = ${uploadId}`,
  ]);
  expect((await rebuildIndex(world.context)).completed).toBe(1);
  const { filename, part, metadata } = await world.upload(uploadId);
  expect({ filename, part, title: metadata.streamTitle }).toEqual({
    filename: before.filename,
    part: before.part,
    title: before.metadata.streamTitle,
  });
  const restored = await findFile(database, `${before.fileKey}`);
  if (file === null || restored === null) throw new Error("The file is not in the index");
  expect(describeFile(restored)).toMatchObject({ vodId, part: { startSec: 20, endSec: 100 } });
  expect(restored.metadata).toEqual(file.metadata);
  const vods = await database.all(sql`SELECT vod_id FROM vods WHERE vod_id LIKE ${`${vodId}%`}`);
  expect(vods).toEqual([{ vod_id: vodId }]);
});

it("of a running broadcast ends once its end was broadcast", async () => {
  const { id: vodId } = await world.twitch.control.addVod({
    segmentCount: 30,
    growing: { initialSegments: 4 },
  });
  const uploadId = await addPart(vodId);
  await world.archiver.consume({ uploadId });
  expect(await world.upload(uploadId)).toMatchObject({ status: "processing" });
  await world.twitch.control.grow(vodId, 2);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({
    status: "completed",
    metadata: { durationSec: 30, statedDurationSec: null },
  });
});

it("of a broadcast that ended before its end is completed with what there is", async () => {
  const { id: vodId } = await world.twitch.control.addVod({
    segmentCount: 4,
    growing: { initialSegments: 4 },
  });
  const uploadId = await addPart(vodId);
  await world.archiver.consume({ uploadId });
  await world.twitch.control.end(vodId);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({ status: "completed", metadata: { durationSec: 20 } });
});

it("has the chat and the chapters of its time", async () => {
  const { vodId } = await world.addVod({ segmentCount: 8, commentsPerMinute: 60 });
  const uploadId = await addPart(vodId);
  await world.archiveToEnd(uploadId);
  const { debugInfo } = await world.readChatToEnd(uploadId);
  const chat = JSON.parse(await world.storedText(`${debugInfo.chatFileId}`));
  const offsets = chat.comments.map(
    (each: { content_offset_seconds: number }) => each.content_offset_seconds,
  );
  expect(offsets.length).toBeGreaterThan(20);
  expect(Math.min(...offsets)).toBeLessThan(2);
  expect(Math.max(...offsets)).toBeLessThan(27);
  expect(chat.video).toMatchObject({ id: vodId });
  const chapters = [0, 22, 50].map((startSec) => ({ startSec, title: `at ${startSec}` }));
  expect(chaptersOfPart(chapters, { beginsAtSec: 20, endSec: 47 })).toEqual([
    { startSec: 0, title: "at 0" },
    { startSec: 2, title: "at 22" },
  ]);
});

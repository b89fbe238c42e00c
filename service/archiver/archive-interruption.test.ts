import { afterAll, expect, it } from "vitest";
import { uploadIdSchema } from "#contract/ids.ts";
import { objectKeySchema } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import { readCheckpoint } from "#service/storage/checkpoint.ts";
import { batchUnderLease, LeaseLost } from "#service/storage/lease.ts";
import { carryOutRemovals } from "#service/storage/store-removals.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { flagStandstills } from "./standstill.ts";

const world = await openArchiveWorld({ clockFactor: 15 });
afterAll(() => world.close());

const IN_PARTS = { segmentCount: 24, segmentSizeBytes: 3_000_000 };

async function eventsOf(uploadId: string): Promise<unknown[]> {
  const rows = await world.context.platform.database.all(sql`
    SELECT type FROM notification_events WHERE subject = ${uploadId} ORDER BY seq`);
  return rows.map((row) => row.type);
}

/**
 * Runs an archive until it is about to ask for segment 20 and has stored three parts, and then hands
 * it over.
 */
async function runPartly(uploadId: string, beforeSegment = async () => undefined): Promise<void> {
  const drains: Promise<number>[] = [];
  const archiver = world.newArchiver((platform) => ({
    ...platform,
    async receive(address, init) {
      if (address.endsWith(".ts")) await beforeSegment();
      if (address.endsWith("/20.ts") && drains.length === 0) {
        await untilStored(uploadId, 24_000_000);
        drains.push(archiver.drain());
      }
      return await (platform.receive ?? platform.fetch)(address, init);
    },
  }));
  await archiver.consume({ uploadId });
  expect(await Promise.all(drains)).toEqual([1]);
}

async function untilStored(uploadId: string, bytes: number): Promise<void> {
  const { database, clock } = world.context.platform;
  for (;;) {
    const [row] = await database.all(sql`SELECT stored_bytes FROM uploads WHERE id = ${uploadId}`);
    if (Number(row?.stored_bytes) >= bytes) return;
    await clock.sleep(100);
  }
}

/** A VOD of which a first run has copied parts, and the key of its plan. */
async function interrupted() {
  const { vodId, uploadId } = await world.addVod(IN_PARTS);
  await runPartly(uploadId);
  const [row] = await world.context.platform.database.all(
    sql`SELECT manifest_key FROM uploads WHERE id = ${uploadId}`,
  );
  return { vodId, uploadId, manifestKey: objectKeySchema.parse(row?.manifest_key) };
}

it("a restart continues begun archives first, and reports one that gets no place", async () => {
  const { database } = world.context.platform;
  await database.run(sql`UPDATE uploads SET status = 'cancelled' WHERE status <> 'completed'`);
  const waiting = await world.addUpload("1");
  const { uploadId } = await world.addVod({ segmentCount: 6, segmentSizeBytes: 400_000 });
  const queued = await world.addUpload("1");
  await database.run(sql`
    UPDATE uploads SET status = 'processing', phase = 'waiting' WHERE id = ${waiting}`);
  const sent: unknown[] = [];
  const begun = Promise.withResolvers<void>();
  const archiver = world.newArchiver((platform) => ({
    ...platform,
    async receive(address, init) {
      if (address.endsWith("/3.ts")) begun.resolve();
      return await (platform.receive ?? platform.fetch)(address, init);
    },
    runtime: { ...platform.runtime, archiveConcurrency: 1 },
    queue: { ...platform.queue, send: async (message) => void sent.push(message) },
  }));
  const running = archiver.consume({ uploadId });
  await begun.promise;
  const resuming = archiver.drain().then(() => archiver.resumeAll());
  // A wake-up that the queue delivers as soon as the place is free.
  await running.then(() => archiver.consume({ uploadId: queued }));
  await resuming;
  expect(await world.upload(queued)).toMatchObject({ status: "pending" });
  expect(sent).toEqual([uploadId, waiting, queued].map((id) => ({ uploadId: id })));

  expect(await world.upload(uploadId)).toMatchObject({
    phase: "waiting",
    errorMessage: "Waiting for a place.",
    uploadSpeed: null,
  });
  await flagStandstills(world.context);
  await database.run(sql`
    UPDATE uploads SET updated_at = updated_at - ${world.context.settings.STALL_AFTER_MS}`);
  const [held] = await database.all(sql`SELECT epoch FROM uploads WHERE id = ${uploadId}`);
  for (const _ of [1, 2]) await flagStandstills(world.context);
  // A runner that was suspended so long has lost its lease.
  const lease = { uploadId: uploadIdSchema.parse(uploadId), epoch: Number(held?.epoch) };
  await expect(batchUnderLease(database, lease, [])).rejects.toThrow(LeaseLost);
  for (const id of [waiting, queued]) expect(await eventsOf(id)).toEqual([]);
  expect(await eventsOf(uploadId)).toEqual(["upload_stalled"]);
  expect((await world.upload(uploadId)).debugInfo).toMatchObject({
    isStalled: true,
    stallReason: "No worker had a place for it for 10 minutes.",
  });
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({ status: "completed", debugInfo: { isStalled: false } });
});

it("a copy that starts over reports the reason", async () => {
  const { objects } = world.context.platform;
  const { uploadId, manifestKey } = await interrupted();
  await objects.delete(manifestKey);
  const explanations = new Set<string | null>();
  const archiver = world.newArchiver((platform) => ({
    ...platform,
    async receive(address, init) {
      explanations.add((await world.upload(uploadId)).errorMessage);
      return await (platform.receive ?? platform.fetch)(address, init);
    },
  }));
  const upload = await world.archiveToEnd(uploadId, archiver);
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect([...explanations]).toContain("The plan is gone from the store. The copy begins again.");
  // Removes the parts that cannot be continued.
  await carryOutRemovals(world.context);
});

it("ranges copied from muted segments stay recorded as muted when another run finishes", async () => {
  const { vodId, uploadId } = await world.addVod(IN_PARTS);
  let muting: Promise<unknown> | null = null;
  // After the plan was made, before the first segment.
  await runPartly(uploadId, async () => {
    await (muting ??= world.twitch.control.mute(vodId, [8, 9]));
  });
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({
    status: "completed",
    metadata: { mutedRanges: [{ startSec: 80, endSec: 100 }] },
  });
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});

it("a segment that changed since its beginning was stored is copied whole", async () => {
  const { database } = world.context.platform;
  const { vodId, uploadId } = await interrupted();
  const stored = await readCheckpoint(database, uploadIdSchema.parse(uploadId));
  const cursor = stored.at(-1)?.end;
  expect(cursor?.offset).toBeGreaterThan(0);
  // It keeps its size.
  await world.twitch.control.mute(vodId, [cursor?.unit ?? 0]);
  const upload = await world.archiveToEnd(uploadId);
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});

it("a plan is updated and resumed when the media host has changed", async () => {
  const { objects } = world.context.platform;
  const { vodId, uploadId, manifestKey } = await interrupted();
  const plan = await world.storedText(manifestKey);
  const moved = plan.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, "http://127.0.0.1:9");
  await objects.put(manifestKey, new TextEncoder().encode(moved), {
    contentType: "application/json",
    metadata: { uploadId },
  });
  const upload = await world.archiveToEnd(uploadId);
  expect(upload).toMatchObject({ status: "completed", retryCount: 0 });
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});

it("a VOD without any segments left fails and leaves no file, object or multipart upload", async () => {
  const { vodId, uploadId } = await world.addVod({ segmentCount: 2, segmentSizeBytes: 400_000 });
  await world.twitch.control.addFault({
    match: { kind: "playlist", vodId },
    fault: { type: "replace", pattern: "^#EXTINF", replacement: "#EXT-X-GAP\n#EXTINF" },
    times: "forever",
  });
  const { multiparts: before } = await world.storeContents();
  const upload = await world.archiveToEnd(uploadId);
  await world.twitch.control.clearFaults();
  expect(upload).toMatchObject({
    status: "failed",
    failureClass: "gone_at_source",
    errorMessage: "Twitch no longer has any of it (00:00:00-00:00:20).",
  });
  await carryOutRemovals(world.context);
  const { keys, multiparts } = await world.storeContents();
  expect(keys.filter((key) => key.endsWith(`${uploadId}.ts`))).toEqual([]);
  expect(multiparts).toBe(before);
  expect(
    await world.context.platform.database.all(
      sql`SELECT 1 FROM files WHERE upload_id = ${uploadId}`,
    ),
  ).toEqual([]);
});

it("the playlist of a partial file marks missing segments as gaps", async () => {
  const { uploadId } = await world.addVod(
    { segmentCount: 4, segmentSizeBytes: 400_000 },
    { segment: 2, fault: { type: "status", status: 404 }, times: "forever" },
  );
  const upload = await world.archiveToEnd(uploadId);
  await world.twitch.control.clearFaults();
  expect(upload).toMatchObject({
    status: "failed",
    failureClass: "gone_at_source",
    metadata: { missingRanges: [{ startSec: 20, endSec: 30 }] },
  });
  const [file] = await world.context.platform.database.all(sql`
    SELECT status, upload_type FROM files WHERE object_key = ${upload.fileKey}`);
  expect(file).toEqual({ status: "partial", upload_type: "twitch" });
  const playlist = await world.storedText((upload.fileKey ?? "").replace(/\.ts$/, ".m3u8"));
  expect(playlist.match(/#EXTINF/g)).toHaveLength(4);
  expect(playlist.match(/#EXT-X-GAP/g)).toHaveLength(1);
  expect(playlist.match(/#EXT-X-BYTERANGE/g)).toHaveLength(3);
});

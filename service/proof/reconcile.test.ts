import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { carryOutRemovals } from "#service/storage/store-removals.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { type ObjectStore, StoreError } from "#service/ports/object-store.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { deleteUpload } from "#service/storage/upload-actions.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { deleteChosenFiles, deleteStoredFile } from "#service/files/file-deletion.ts";
import { recordDamage } from "./file-damage.ts";
import { reconcilePage } from "./reconcile.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { removeStrayMultiparts } from "#service/storage/stray-multiparts.ts";

const HOUR_MS = 3_600_000;

const BY = { actorId: userIdSchema.parse("1001"), requestId: "request" };

let world: ArchiveWorld;
/** Offset of the clock; scans are half an hour apart. */
let aheadMs = 0;
beforeEach(async () => {
  world = await openArchiveWorld();
  aheadMs = 0;
});
afterEach(() => world.close());

function later(): ServiceContext {
  const { platform } = world.context;
  const { clock } = platform;
  return {
    ...world.context,
    platform: { ...platform, clock: { ...clock, now: () => clock.now() + aheadMs } },
  };
}

async function scan(): Promise<void> {
  await scanWith({});
}

/** A scan of a store that answers differently. */
async function scanWith(change: Partial<ObjectStore>): Promise<void> {
  aheadMs += HOUR_MS;
  const { platform, ...context } = later();
  const objects = { ...platform.objects, ...change };
  while (await reconcilePage({ ...context, platform: { ...platform, objects } }));
}

async function put(key: string, text: string): Promise<void> {
  await world.context.platform.objects.put(
    objectKeySchema.parse(key),
    new TextEncoder().encode(text),
    { contentType: "video/mp2t" },
  );
}

async function bytesOf(key: string): Promise<Uint8Array> {
  const bytes = await readStored(world.context.platform.objects, objectKeySchema.parse(key));
  if (bytes === null) throw new Error(`${key} is not stored`);
  return bytes;
}

async function fileOf(key: string) {
  const [row] = await world.context.platform.database.all(
    sql`SELECT status, metadata FROM files WHERE object_key = ${key}`,
  );
  return row === undefined
    ? null
    : { status: String(row.status), metadata: JSON.parse(String(row.metadata)) as unknown };
}

async function rows(table: "notification_events" | "audit", column: string, value: string) {
  return await world.context.platform.database.all({
    sql: `SELECT * FROM ${table} WHERE ${column} = ?`,
    values: [value],
  });
}

const LOST = objectKeySchema.parse("vods/1/2/lost.ts");

/** Stores an object that no record knows, and scans until it is marked. */
async function orphan(): Promise<void> {
  await put(LOST, "bytes");
  await scan();
  await scan();
}

async function archive(): Promise<{ uploadId: string; key: string }> {
  const { uploadId } = await world.addVod({ segmentCount: 3 });
  const { fileKey } = await world.archiveToEnd(uploadId);
  return { uploadId, key: fileKey ?? "" };
}

test("an unknown object under the service's prefixes is orphaned once, on its second sighting", async () => {
  await put("backups/database.db", "not under a prefix of the service");
  await put(LOST, "bytes");
  await scan();
  expect(await fileOf(LOST)).toBeNull();
  await scan();
  expect(await fileOf(LOST)).toMatchObject({ status: "orphaned" });
  await scan();
  expect(await fileOf("backups/database.db")).toBeNull();
  expect(await rows("notification_events", "type", "orphaned_files_found")).toHaveLength(1);
  expect(await rows("audit", "action", "file.orphan")).toHaveLength(1);
});

test.for([
  [
    "changed",
    async () => {
      const { database, objects } = world.context.platform;
      await put(LOST, "other bytes");
      // A store with a resolution of seconds may report the same time for both.
      const head = await objects.head(LOST);
      await database.run(
        sql`UPDATE scan_findings SET version =
          substr(version, 1, instr(version, ' ')) || ${head?.lastModifiedAt.getTime() ?? 0}`,
      );
    },
  ],
  [
    "had an owner",
    async () => {
      await seedFile(world.context.platform, { key: LOST, sizeBytes: 5 });
      await scan();
      await world.context.platform.database.run(sql`DELETE FROM files`);
    },
  ],
] as const)("an object that %s between two scans counts as seen once", async ([, happen]) => {
  await put(LOST, "bytes");
  await scan();
  await happen();
  await scan();
  expect(await fileOf(LOST)).toBeNull();
  await scan();
  expect(await fileOf(LOST)).toMatchObject({ status: "orphaned" });
});

test("an object that gets an owner during the check is not marked as orphaned", async () => {
  const { database, objects } = world.context.platform;
  const uploadId = await world.addUpload("2000000002");
  const key = `vods/1005/2000000002/${uploadId}.ts`;
  await database.run(sql`DELETE FROM chats WHERE upload_id = ${uploadId}`);
  await database.run(sql`UPDATE uploads SET id = 'elsewhere' WHERE id = ${uploadId}`);
  await put(key, "bytes");
  await scan();
  aheadMs += HOUR_MS;
  const context = later();
  const head: typeof objects.head = async (asked) => {
    await database.run(sql`UPDATE uploads SET id = ${uploadId} WHERE id = 'elsewhere'`);
    return await objects.head(asked);
  };
  const platform = { ...context.platform, objects: { ...objects, head } };
  while (await reconcilePage({ ...context, platform }));
  expect(await fileOf(key)).toBeNull();
  expect(await rows("audit", "action", "file.orphan")).toEqual([]);
});

/** A context whose store lists in small pages. */
function listedInPages(of: number): ServiceContext {
  const context = later();
  const { objects } = context.platform;
  const list: typeof objects.list = async ({ prefix, cursor = "0" }) => {
    const whole = await objects.list(prefix === undefined ? {} : { prefix });
    const next = Number(cursor) + of;
    return {
      objects: whole.objects.slice(Number(cursor), next),
      cursor: next < whole.objects.length ? String(next) : null,
    };
  };
  return { ...context, platform: { ...context.platform, objects: { ...objects, list } } };
}

test("a scan in several pages finds exactly the missing files", async () => {
  const { database, objects } = world.context.platform;
  for (let index = 10; index < 55; index++) {
    const key = `vods/1/2/file${index}.ts`;
    await put(key, "bytes");
    await seedFile(world.context.platform, { key, sizeBytes: 5 });
  }
  const missing = [10, 49, 50, 54].map((index) => `vods/1/2/file${index}.ts`);
  for (const key of missing) await objects.delete(objectKeySchema.parse(key));
  for (let scans = 0; scans < 2; scans += 1) {
    aheadMs += HOUR_MS;
    while (await reconcilePage(listedInPages(39)));
  }
  const partial = await database.all(
    sql`SELECT object_key FROM files WHERE status = 'partial' ORDER BY object_key`,
  );
  expect(partial.map((row) => row.object_key)).toEqual(missing);
  expect(await rows("notification_events", "subject", "store")).toEqual([]);
});

test("sidecars belong to their main object, whether it is recorded or not", async () => {
  const { key } = await archive();
  await put("vods/1/2/lost.chat.json", "{}");
  await put("vods/1/2/lost.m3u8", "#EXTM3U");
  await put(LOST, "bytes");
  await scan();
  await scan();
  await scan();
  const files = await world.context.platform.database.all(
    sql`SELECT object_key FROM files ORDER BY object_key`,
  );
  expect(new Set(files.map((row) => row.object_key))).toEqual(new Set([key, LOST]));
});

test("a sidecar without its main object is orphaned itself", async () => {
  await put("vods/1/2/lost.manifest.json", "{}");
  await scan();
  await scan();
  expect(await fileOf("vods/1/2/lost.manifest.json")).toMatchObject({ status: "orphaned" });
});

test("an archive whose upload was deleted remains a single file with its sidecars", async () => {
  const { uploadId, key } = await archive();
  const by = { actorId: null, atMs: Date.now(), uploadId };
  await deleteUpload(world.context, by);
  await scan();
  await scan();
  const files = await world.context.platform.database.all(sql`SELECT object_key FROM files`);
  expect(files.map((row) => row.object_key)).toEqual([key]);
});

test.for([
  ["is gone", "The store no longer has this file.", "file.missing"],
  ["has another size", "The store holds 5 Bytes instead of", "file.damage"],
] as const)("a file whose object %s becomes partial, with one notification", async (fault) => {
  const [what, problem, action] = fault;
  const { key } = await archive();
  if (what === "is gone") await world.context.platform.objects.delete(objectKeySchema.parse(key));
  else await put(key, "short");
  await scan();
  await scan();
  expect(await fileOf(key)).toMatchObject({
    status: "partial",
    metadata: { problem: expect.stringContaining(problem) },
  });
  const [file] = await world.context.platform.database.all(sql`SELECT title FROM uploads`);
  expect(await rows("notification_events", "type", "file_damaged")).toMatchObject([
    { title: `Stored file damaged: ${file?.title}` },
  ]);
  expect(await rows("audit", "action", action)).toHaveLength(1);
  expect(world.log()).toContain("A stored file is incomplete");
});

test("a file is missing when two scans miss it, and whole again when a scan finds it", async () => {
  const { key } = await archive();
  const { objects } = world.context.platform;
  const objectKey = objectKeySchema.parse(key);
  const bytes = await bytesOf(key);
  await objects.delete(objectKey);
  await scan();
  expect(await fileOf(key)).toMatchObject({ status: "complete" });
  // Seen in between: the misses are not in a row.
  await objects.put(objectKey, bytes, { contentType: "video/mp2t" });
  await scan();
  await objects.delete(objectKey);
  await scan();
  expect(await fileOf(key)).toMatchObject({ status: "complete" });
  await scan();
  expect(await fileOf(key)).toMatchObject({ status: "partial" });
  await scan();
  await objects.put(objectKey, bytes, { contentType: "video/mp2t" });
  const { database } = world.context.platform;
  await database.run(sql`UPDATE files SET verified_at = 5, verify_part = 2`);
  await scan();
  await scan();
  expect(await database.all(sql`SELECT verified_at, verify_part FROM files`)).toEqual([
    { verified_at: 0, verify_part: 1 },
  ]);
  const file = await fileOf(key);
  expect(file).toMatchObject({ status: "complete" });
  expect(file?.metadata).not.toHaveProperty("problem");
  expect(
    (await rows("notification_events", "type", "file_damaged")).map(({ title }) => title),
  ).toEqual([
    expect.stringMatching(/^Stored file damaged: /),
    expect.stringMatching(/^Stored file sound again: /),
  ]);
  expect(await rows("audit", "action", "file.recover")).toHaveLength(1);
});

test("an archive with gaps stays partial when its object is found again", async () => {
  const { key } = await archive();
  const { database, objects } = world.context.platform;
  const bytes = await bytesOf(key);
  await database.run(sql`UPDATE files SET status = 'partial'`);
  await put(key, "short");
  await scan();
  expect(await fileOf(key)).toMatchObject({ metadata: { foundSizeBytes: 5 } });
  await objects.put(objectKeySchema.parse(key), bytes, { contentType: "video/mp2t" });
  await scan();
  const file = await fileOf(key);
  expect(file).toMatchObject({ status: "partial" });
  expect(file?.metadata).not.toHaveProperty("foundSizeBytes");
});

test.for<[string, Partial<ObjectStore>]>([
  [
    "refuses to show a file",
    { head: () => Promise.reject(new StoreError("denied", "Not allowed")) },
  ],
  ["answers for a while that nothing is there", { head: async () => null }],
])("a store that %s loses nothing", async ([, change]) => {
  const { key } = await archive();
  await scanWith({ list: async () => ({ objects: [], cursor: null }), ...change });
  await scan();
  expect(await fileOf(key)).toMatchObject({ status: "complete" });
  expect(await rows("notification_events", "type", "file_damaged")).toEqual([]);
});

test("a file that changed since it was checked is not marked as damaged", async () => {
  const { key } = await archive();
  const damage = {
    subject: "size",
    problem: "The store no longer has this file.",
    metadata: {},
    notedAt: "$.foundSizeBytes",
    lastModifiedAt: 1,
    action: "file.missing",
  } as const;
  expect(await recordDamage(world.context, objectKeySchema.parse(key), damage)).toBe(false);
  expect(await fileOf(key)).toMatchObject({ status: "complete" });
  expect(await rows("audit", "action", "file.missing")).toEqual([]);
});

test("no file is marked if nearly all objects are missing", async () => {
  const { database } = world.context.platform;
  for (let index = 0; index < 30; index++)
    await seedFile(world.context.platform, { key: `vods/1/2/file${index}.ts`, sizeBytes: 5 });
  await scan();
  await scan();
  expect(await database.all(sql`SELECT 1 FROM files WHERE status <> 'complete'`)).toEqual([]);
  expect(await rows("notification_events", "subject", "store")).toHaveLength(1);
});

test("a listing that lacks objects which are there says nothing about the store", async () => {
  const { database } = world.context.platform;
  for (let index = 0; index < 30; index++) {
    await put(`vods/1/2/file${index}.ts`, "bytes");
    await seedFile(world.context.platform, { key: `vods/1/2/file${index}.ts`, sizeBytes: 5 });
  }
  for (let scans = 0; scans < 2; scans += 1)
    await scanWith({ list: async () => ({ objects: [], cursor: null }) });
  expect(await database.all(sql`SELECT 1 FROM files WHERE status <> 'complete'`)).toEqual([]);
  expect(await rows("notification_events", "subject", "store")).toEqual([]);
});

test("an orphaned file removed from the store is removed from the index", async () => {
  await orphan();
  await world.context.platform.objects.delete(LOST);
  await scan();
  expect(await fileOf(LOST)).toBeNull();
});

test("an orphaned file overwritten with the same size can be deleted after another scan", async () => {
  await orphan();
  const { database } = world.context.platform;
  // Pretend that the row is an hour older than the object.
  await database.run(sql`UPDATE files SET last_modified_at = last_modified_at - ${HOUR_MS}`);
  await expect(deleteStoredFile(world.context, LOST, BY)).rejects.toMatchObject({
    code: "conflict",
  });
  await scan();
  expect(await deleteStoredFile(world.context, LOST, BY)).toEqual({ size: 5 });
});

test("an overwritten orphaned file is not deleted before it is scanned again", async () => {
  const { database, objects } = world.context.platform;
  await orphan();
  const [first] = await database.all(sql`SELECT size_bytes FROM files`);
  const chosen = { key: LOST, size: Number(first?.size_bytes), status: "orphaned" } as const;
  await put(LOST, "other bytes");
  const outcomes = await deleteChosenFiles(world.context, [chosen], BY);
  expect(outcomes.get(LOST)).toMatchObject({ code: "conflict" });
  await put(LOST, "yet other bytes");
  await expect(deleteStoredFile(world.context, LOST, BY)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("overwritten"),
  });
  expect(await objects.head(LOST)).not.toBeNull();
  expect(await database.all(sql`SELECT size_bytes FROM files`)).toEqual([first]);
  expect(await rows("audit", "action", "file.delete")).toEqual([]);

  await scan();
  await scan();
  expect(await rows("audit", "action", "file.orphan")).toHaveLength(2);
  expect(await rows("notification_events", "type", "orphaned_files_found")).toHaveLength(1);
  expect(await deleteStoredFile(world.context, LOST, BY)).toEqual({ size: 15 });
  expect(await objects.head(LOST)).toBeNull();
});

/** Calls `between` after every write to the store or the database. */
function interrupted(platform: Platform, between: () => Promise<void>): Platform {
  const { database, objects } = platform;
  async function pause<T>(effect: Promise<T>): Promise<T> {
    const result = await effect;
    await between();
    return result;
  }
  return {
    ...platform,
    database: { ...database, batch: (statements) => pause(database.batch(statements)) },
    objects: {
      ...objects,
      put: (...object) => pause(objects.put(...object)),
      uploadPart: (...part) => pause(objects.uploadPart(...part)),
      completeMultipart: (...upload) => pause(objects.completeMultipart(...upload)),
    },
  };
}

async function flagged() {
  return await world.context.platform.database.all(sql`
    SELECT * FROM notification_events WHERE type IN ('orphaned_files_found', 'file_damaged')`);
}

test("two scans between any two steps of an archive report no problems", async () => {
  let steps = 0;
  const archiver = world.newArchiver((platform) =>
    interrupted(platform, async () => {
      steps += 1;
      await scan();
      await scan();
    }),
  );
  const { uploadId } = await world.addVod({ segmentCount: 4 });
  // On a Worker the scans use up the slice's budget, so the archive takes several slices.
  for (
    let slice = 1;
    slice <= 20 && (await world.upload(uploadId)).status !== "completed";
    slice += 1
  )
    await archiver.consume({ uploadId });
  expect(steps).toBeGreaterThan(5);
  expect(await flagged()).toEqual([]);
});

/** Starts three multipart uploads: one of an upload, one without, one of another program. */
async function beginMultiparts() {
  const { objects, database } = world.context.platform;
  const begin = (key: string) =>
    objects.createMultipart(objectKeySchema.parse(key), { contentType: "video/mp4" });
  const stray = await begin("manual/1/a/video.mp4");
  await begin("backups/of-somebody-else.tar");
  const owned = await begin("vods/1/2/b.ts");
  const uploadId = await world.addUpload("2000000002");
  await database.run(
    sql`UPDATE uploads SET multipart_id = ${owned.multipartId} WHERE id = ${uploadId}`,
  );
  return { stray };
}

/** The multipart uploads whose removal is planned `ms` later. */
async function plannedAfter(ms: number): Promise<unknown[]> {
  aheadMs = ms;
  await removeStrayMultiparts(later());
  const planned = await world.context.platform.database.all(
    sql`SELECT key FROM jobs WHERE kind = 'abort'`,
  );
  return planned.map((row) => String(row.key).split("\n")[1]);
}

test("a multipart upload without an owner is removed after a day", async ({ skip }) => {
  const { objects } = world.context.platform;
  if ((await objects.listMultiparts()) === null)
    skip("R2 lists none from inside a Worker; its lifecycle rule removes them");
  const { stray } = await beginMultiparts();
  expect(await plannedAfter(23 * HOUR_MS)).toEqual([]);
  expect(await plannedAfter(25 * HOUR_MS)).toEqual([stray.multipartId]);
  expect(await plannedAfter(25 * HOUR_MS)).toEqual([stray.multipartId]);
  await carryOutRemovals(later());
  expect((await world.storeContents()).multiparts).toBe(2);
});

test("objects with invalid names are logged once", async () => {
  const context = later();
  const { objects } = context.platform;
  const list: typeof objects.list = async (options) => ({
    ...(await objects.list(options)),
    foreignKeys: 2,
  });
  const platform = { ...context.platform, objects: { ...objects, list } };
  while (await reconcilePage({ ...context, platform }));
  expect(world.log().split("whose names are not keys")).toHaveLength(2);
});

test("a store that is away in the middle of a page ends the scan there, and refuses no file", async () => {
  const { key } = await archive();
  await expect(
    scanWith({
      list: async () => ({ objects: [], cursor: null }),
      head: () => Promise.reject(new StoreError("unavailable", "Away")),
    }),
  ).rejects.toThrow("Away");
  expect(world.log()).not.toContain("refuses to show a file");
  await scan();
  expect(await fileOf(key)).toMatchObject({ status: "complete" });
});

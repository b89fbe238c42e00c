import { afterEach, beforeEach, expect, test } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { deleteChosenFiles, deleteStoredFile } from "#service/files/file-deletion.ts";
import { deleteUpload } from "#service/storage/upload-actions.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { HOUR_MS, LOST, openScanWorld, type ScanWorld } from "#service/testing/scan-world.ts";

const BY = { actorId: userIdSchema.parse("1001"), requestId: "request" };

let world: ScanWorld;
beforeEach(async () => {
  world = await openScanWorld();
});
afterEach(() => world.close());

test("an unknown object under the service's prefixes is orphaned once, on its second sighting", async () => {
  await world.put("backups/database.db", "not under a prefix of the service");
  await world.put(LOST, "bytes");
  await world.scan();
  expect(await world.fileOf(LOST)).toBeNull();
  await world.scan();
  expect(await world.fileOf(LOST)).toMatchObject({ status: "orphaned" });
  await world.scan();
  expect(await world.fileOf("backups/database.db")).toBeNull();
  expect(await world.rows("notification_events", "type", "orphaned_files_found")).toHaveLength(1);
  expect(await world.rows("audit", "action", "file.orphan")).toHaveLength(1);
});

test.for([
  [
    "changed",
    async () => {
      const { database, objects } = world.context.platform;
      await world.put(LOST, "other bytes");
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
      await world.scan();
      await world.context.platform.database.run(sql`DELETE FROM files`);
    },
  ],
] as const)("an object that %s between two scans counts as seen once", async ([, happen]) => {
  await world.put(LOST, "bytes");
  await world.scan();
  await happen();
  await world.scan();
  expect(await world.fileOf(LOST)).toBeNull();
  await world.scan();
  expect(await world.fileOf(LOST)).toMatchObject({ status: "orphaned" });
});

test("an object that gets an owner during the check is not marked as orphaned", async () => {
  const { database, objects } = world.context.platform;
  const uploadId = await world.addUpload("2000000002");
  const key = `vods/1005/2000000002/${uploadId}.ts`;
  await database.run(sql`DELETE FROM chats WHERE upload_id = ${uploadId}`);
  await database.run(sql`UPDATE uploads SET id = 'elsewhere' WHERE id = ${uploadId}`);
  await world.put(key, "bytes");
  await world.scan();
  const head: typeof objects.head = async (asked) => {
    await database.run(sql`UPDATE uploads SET id = ${uploadId} WHERE id = 'elsewhere'`);
    return await objects.head(asked);
  };
  await world.scan({ head });
  expect(await world.fileOf(key)).toBeNull();
  expect(await world.rows("audit", "action", "file.orphan")).toEqual([]);
});

test("sidecars belong to their main object, whether it is recorded or not", async () => {
  const { key } = await world.archive();
  await world.put("vods/1/2/lost.chat.json", "{}");
  await world.put("vods/1/2/lost.m3u8", "#EXTM3U");
  await world.put(LOST, "bytes");
  await world.scan();
  await world.scan();
  await world.scan();
  const files = await world.context.platform.database.all(
    sql`SELECT object_key FROM files ORDER BY object_key`,
  );
  expect(new Set(files.map((row) => row.object_key))).toEqual(new Set([key, LOST]));
});

test("a sidecar without its main object is orphaned itself", async () => {
  await world.put("vods/1/2/lost.manifest.json", "{}");
  await world.scan();
  await world.scan();
  expect(await world.fileOf("vods/1/2/lost.manifest.json")).toMatchObject({ status: "orphaned" });
});

test("an archive whose upload was deleted remains a single file with its sidecars", async () => {
  const { uploadId, key } = await world.archive();
  const by = { actorId: null, atMs: Date.now(), uploadId };
  await deleteUpload(world.context, by);
  await world.scan();
  await world.scan();
  const files = await world.context.platform.database.all(sql`SELECT object_key FROM files`);
  expect(files.map((row) => row.object_key)).toEqual([key]);
});

test("an orphaned file removed from the store is removed from the index", async () => {
  await world.orphan();
  await world.context.platform.objects.delete(LOST);
  await world.scan();
  expect(await world.fileOf(LOST)).toBeNull();
});

test("an orphaned file overwritten with the same size can be deleted after another scan", async () => {
  await world.orphan();
  const { database } = world.context.platform;
  // Pretend that the row is an hour older than the object.
  await database.run(sql`UPDATE files SET last_modified_at = last_modified_at - ${HOUR_MS}`);
  await expect(deleteStoredFile(world.context, LOST, BY)).rejects.toMatchObject({
    code: "conflict",
  });
  await world.scan();
  expect(await deleteStoredFile(world.context, LOST, BY)).toEqual({ size: 5 });
});

test("an overwritten orphaned file is not deleted before it is scanned again", async () => {
  const { database, objects } = world.context.platform;
  await world.orphan();
  const [first] = await database.all(sql`SELECT size_bytes FROM files`);
  const chosen = { key: LOST, size: Number(first?.size_bytes), status: "orphaned" } as const;
  await world.put(LOST, "other bytes");
  const outcomes = await deleteChosenFiles(world.context, [chosen], BY);
  expect(outcomes.get(LOST)).toMatchObject({ code: "conflict" });
  await world.put(LOST, "yet other bytes");
  await expect(deleteStoredFile(world.context, LOST, BY)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("overwritten"),
  });
  expect(await objects.head(LOST)).not.toBeNull();
  expect(await database.all(sql`SELECT size_bytes FROM files`)).toEqual([first]);
  expect(await world.rows("audit", "action", "file.delete")).toEqual([]);

  await world.scan();
  await world.scan();
  expect(await world.rows("audit", "action", "file.orphan")).toHaveLength(2);
  expect(await world.rows("notification_events", "type", "orphaned_files_found")).toHaveLength(1);
  expect(await deleteStoredFile(world.context, LOST, BY)).toEqual({ size: 15 });
  expect(await objects.head(LOST)).toBeNull();
});

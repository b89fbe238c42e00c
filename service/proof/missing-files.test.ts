import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import { type ObjectStore, StoreError } from "#service/ports/object-store.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { openScanWorld, type ScanWorld } from "#service/testing/scan-world.ts";
import { recordDamage } from "./file-damage.ts";

let world: ScanWorld;
beforeEach(async () => {
  world = await openScanWorld();
});
afterEach(() => world.close());

async function bytesOf(key: string): Promise<Uint8Array> {
  const bytes = await readStored(world.context.platform.objects, objectKeySchema.parse(key));
  if (bytes === null) throw new Error(`${key} is not stored`);
  return bytes;
}

/** A store that lists in small pages. */
function listedInPages(of: number): Partial<ObjectStore> {
  const { objects } = world.context.platform;
  return {
    async list({ prefix, cursor = "0" }) {
      const whole = await objects.list(prefix === undefined ? {} : { prefix });
      const next = Number(cursor) + of;
      return {
        objects: whole.objects.slice(Number(cursor), next),
        cursor: next < whole.objects.length ? String(next) : null,
      };
    },
  };
}

test("a scan in several pages finds exactly the missing files", async () => {
  const { database, objects } = world.context.platform;
  for (let index = 10; index < 55; index++) {
    const key = `vods/1/2/file${index}.ts`;
    await world.put(key, "bytes");
    await seedFile(world.context.platform, { key, sizeBytes: 5 });
  }
  const missing = [10, 49, 50, 54].map((index) => `vods/1/2/file${index}.ts`);
  for (const key of missing) await objects.delete(objectKeySchema.parse(key));
  for (let scans = 0; scans < 2; scans += 1) await world.scan(listedInPages(39));
  const partial = await database.all(
    sql`SELECT object_key FROM files WHERE status = 'partial' ORDER BY object_key`,
  );
  expect(partial.map((row) => row.object_key)).toEqual(missing);
  expect(await world.rows("notification_events", "subject", "store")).toEqual([]);
});

test.for([
  ["is gone", "The store no longer has this file.", "file.missing"],
  ["has another size", "The store holds 5 Bytes instead of", "file.damage"],
] as const)("a file whose object %s becomes partial, with one notification", async (fault) => {
  const [what, problem, action] = fault;
  const { key } = await world.archive();
  if (what === "is gone") await world.context.platform.objects.delete(objectKeySchema.parse(key));
  else await world.put(key, "short");
  await world.scan();
  await world.scan();
  expect(await world.fileOf(key)).toMatchObject({
    status: "partial",
    metadata: { problem: expect.stringContaining(problem) },
  });
  const [file] = await world.context.platform.database.all(sql`SELECT title FROM uploads`);
  expect(await world.rows("notification_events", "type", "file_damaged")).toMatchObject([
    { title: `Stored file damaged: ${file?.title}` },
  ]);
  expect(await world.rows("audit", "action", action)).toHaveLength(1);
  expect(world.log()).toContain("A stored file is incomplete");
});

test("a file is missing when two scans miss it, and whole again when a scan finds it", async () => {
  const { key } = await world.archive();
  const { objects } = world.context.platform;
  const objectKey = objectKeySchema.parse(key);
  const bytes = await bytesOf(key);
  await objects.delete(objectKey);
  await world.scan();
  expect(await world.fileOf(key)).toMatchObject({ status: "complete" });
  // Seen in between: the misses are not in a row.
  await objects.put(objectKey, bytes, { contentType: "video/mp2t" });
  await world.scan();
  await objects.delete(objectKey);
  await world.scan();
  expect(await world.fileOf(key)).toMatchObject({ status: "complete" });
  await world.scan();
  expect(await world.fileOf(key)).toMatchObject({ status: "partial" });
  await world.scan();
  await objects.put(objectKey, bytes, { contentType: "video/mp2t" });
  const { database } = world.context.platform;
  await database.run(sql`UPDATE files SET verified_at = 5, verify_part = 2`);
  await world.scan();
  await world.scan();
  expect(await database.all(sql`SELECT verified_at, verify_part FROM files`)).toEqual([
    { verified_at: 0, verify_part: 1 },
  ]);
  const file = await world.fileOf(key);
  expect(file).toMatchObject({ status: "complete" });
  expect(file?.metadata).not.toHaveProperty("problem");
  expect(
    (await world.rows("notification_events", "type", "file_damaged")).map(({ title }) => title),
  ).toEqual([
    expect.stringMatching(/^Stored file damaged: /),
    expect.stringMatching(/^Stored file sound again: /),
  ]);
  expect(await world.rows("audit", "action", "file.recover")).toHaveLength(1);
});

test("an archive with gaps stays partial when its object is found again", async () => {
  const { key } = await world.archive();
  const { database, objects } = world.context.platform;
  const bytes = await bytesOf(key);
  await database.run(sql`UPDATE files SET status = 'partial'`);
  await world.put(key, "short");
  await world.scan();
  expect(await world.fileOf(key)).toMatchObject({ metadata: { foundSizeBytes: 5 } });
  await objects.put(objectKeySchema.parse(key), bytes, { contentType: "video/mp2t" });
  await world.scan();
  const file = await world.fileOf(key);
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
  const { key } = await world.archive();
  await world.scan({ list: async () => ({ objects: [], cursor: null }), ...change });
  await world.scan();
  expect(await world.fileOf(key)).toMatchObject({ status: "complete" });
  expect(await world.rows("notification_events", "type", "file_damaged")).toEqual([]);
});

test("a file that changed since it was checked is not marked as damaged", async () => {
  const { key } = await world.archive();
  const damage = {
    subject: "size",
    problem: "The store no longer has this file.",
    metadata: {},
    notedAt: "$.foundSizeBytes",
    lastModifiedAt: 1,
    action: "file.missing",
  } as const;
  const { database } = world.context.platform;
  expect(
    await recordDamage(world.context, objectKeySchema.parse(key), damage, (statements) =>
      database.batch(statements),
    ),
  ).toBe(false);
  expect(await world.fileOf(key)).toMatchObject({ status: "complete" });
  expect(await world.rows("audit", "action", "file.missing")).toEqual([]);
});

test("no file is marked if nearly all objects are missing", async () => {
  const { database } = world.context.platform;
  for (let index = 0; index < 30; index++)
    await seedFile(world.context.platform, { key: `vods/1/2/file${index}.ts`, sizeBytes: 5 });
  await world.scan();
  await world.scan();
  expect(await database.all(sql`SELECT 1 FROM files WHERE status <> 'complete'`)).toEqual([]);
  expect(await world.rows("notification_events", "subject", "store")).toHaveLength(1);
});

test("a listing that lacks objects which are there says nothing about the store", async () => {
  const { database } = world.context.platform;
  for (let index = 0; index < 30; index++) {
    await world.put(`vods/1/2/file${index}.ts`, "bytes");
    await seedFile(world.context.platform, { key: `vods/1/2/file${index}.ts`, sizeBytes: 5 });
  }
  for (let scans = 0; scans < 2; scans += 1)
    await world.scan({ list: async () => ({ objects: [], cursor: null }) });
  expect(await database.all(sql`SELECT 1 FROM files WHERE status <> 'complete'`)).toEqual([]);
  expect(await world.rows("notification_events", "subject", "store")).toEqual([]);
});

test("a store that is away in the middle of a page ends the scan there, and refuses no file", async () => {
  const { key } = await world.archive();
  await expect(
    world.scan({
      list: async () => ({ objects: [], cursor: null }),
      head: () => Promise.reject(new StoreError("unavailable", "Away")),
    }),
  ).rejects.toThrow("Away");
  expect(world.log()).not.toContain("refuses to show a file");
  await world.scan();
  expect(await world.fileOf(key)).toMatchObject({ status: "complete" });
});

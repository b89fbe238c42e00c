import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { takeDatabaseSnapshot } from "#hosts/node/database-snapshot.ts";
import type { ServiceContext } from "#service/context.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { deleteUpload } from "#service/storage/upload-actions.ts";
import { rebuildIndex } from "./rebuild-index.ts";
import { runScrub } from "#service/testing/run-scrub.ts";

let world: ArchiveWorld;
/** The empty database after the first one was lost. */
let lost: SqliteDatabase | null;
beforeEach(async () => {
  world = await openArchiveWorld();
  lost = null;
});
afterEach(async () => {
  await lost?.close();
  await world.close();
});

async function archive(vodOf: Parameters<ArchiveWorld["twitch"]["control"]["addVod"]>[0]) {
  return world.archiveToEnd((await world.addVod(vodOf)).uploadId);
}

/** A VOD of the stand-in with missing segments in the middle. */
const WITH_A_GAP = "2000001130";

/** The rows to compare, without times, which differ slightly between store and database. */
async function index() {
  const { database } = context().platform;
  return {
    uploads: await database.all(sql`
      SELECT id, kind, vod_id, filename, title, owner_id, rights, status, progress, source_bytes,
        stored_bytes, segments_done, segments_total, duration_sec, muted_ranges, missing_ranges,
        failure_class, object_key, playlist_key, manifest_key, chat_key, has_thumbnail,
        has_storyboard, part_size_bytes, quality, rendition, withheld_rendition, recorded_at
      FROM uploads ORDER BY id`),
    files: await database.all(sql`
      SELECT object_key, upload_id, user_id, vod_id, filename, size_bytes, upload_type, status,
        content_type, metadata, recorded_at FROM files ORDER BY object_key`),
    counters: await database.all(sql`
      SELECT name, value FROM counters WHERE name LIKE 'uploads%' OR name LIKE 'files%'
      ORDER BY name`),
  };
}

/** Keeps the store but replaces the database with an empty one. */
async function loseDatabase(): Promise<void> {
  lost = openSqliteDatabase(join(world.folder ?? "", "another.db"));
  await migrate(lost, Date.now());
}

function context(): ServiceContext {
  const { platform } = world.context;
  return { ...world.context, platform: { ...platform, database: lost ?? platform.database } };
}

test("completed and partial uploads are restored from the store alone", async () => {
  const { uploadId: ofVisitor } = await world.addVod({ segmentCount: 3 });
  await world.context.platform.database.batch([
    sql`UPDATE uploads SET rights = 'owner_signed_in', consent_text_version = 1
      WHERE id = ${ofVisitor}`,
    sql`INSERT INTO consents (owner_id, text_version, agreed_at)
      SELECT owner_id, 1, 0 FROM uploads WHERE id = ${ofVisitor}`,
  ]);
  await world.archiveToEnd(ofVisitor);
  await archive({ segmentCount: 5, container: "fmp4", muted: [1] });
  await archive({ segmentCount: 12, segmentSizeBytes: 3_000_000 });
  const partial = await world.archiveToEnd(await world.addUpload(WITH_A_GAP));
  expect(partial).toMatchObject({ status: "failed", failureClass: "gone_at_source" });
  const before = await index();
  expect(before.files).toHaveLength(4);
  await loseDatabase();
  const report = await rebuildIndex(context());
  expect(report).toEqual({
    completed: 3,
    partial: 1,
    kept: 0,
    unfinished: 0,
    unreadable: [],
  });
  const after = await index();
  expect(after.files).toEqual(before.files);
  expect(after.counters).toEqual(before.counters);
  expect(after.uploads.filter((row) => row.status === "completed")).toEqual(
    before.uploads.filter((row) => row.status === "completed"),
  );
  expect(after.uploads.find((row) => row.status === "failed")).toMatchObject({
    id: partial.id,
    object_key: partial.fileKey,
    stored_bytes: partial.processedSize,
    failure_class: "gone_at_source",
    // A retry reads the source again, as without the rebuild.
    manifest_key: null,
    part_size_bytes: null,
  });
  const audited = await context().platform.database.all(
    sql`SELECT 1 FROM audit WHERE action = 'index.rebuild'`,
  );
  expect(audited).toHaveLength(4);
});

test("a run on an intact or rebuilt database changes nothing", async () => {
  await archive({ segmentCount: 3 });
  const before = await index();
  expect(await rebuildIndex(context())).toMatchObject({ completed: 0, kept: 1 });
  expect(await index()).toEqual(before);
  await loseDatabase();
  await rebuildIndex(context());
  const rebuilt = await index();
  await rebuildIndex(context());
  expect(await index()).toEqual(rebuilt);
});

test.each(["pending", "processing", "failed"])(
  "an upload that is %s in an older database, and whole in the store, is put back",
  async (status) => {
    const { uploadId } = await world.addVod({ segmentCount: 3 });
    const older = join(world.folder ?? "", "another.db");
    takeDatabaseSnapshot(join(world.folder ?? "", "vodkeep.db"), older);
    await world.archiveToEnd(uploadId);
    const before = await index();
    lost = openSqliteDatabase(older);
    await lost.run(sql`UPDATE uploads SET status = ${status}, failure_class = 'ours'
      WHERE id = ${uploadId}`);
    await seedFile(context().platform, { key: `chunks/${uploadId}`, uploadId });
    expect(await rebuildIndex(context())).toMatchObject({ completed: 1, kept: 0 });
    expect((await index()).files).toEqual(before.files);
    expect((await index()).counters).toEqual(before.counters);
    expect((await index()).uploads).toMatchObject([{ id: uploadId, status: "completed" }]);
    expect(await rebuildIndex(context())).toMatchObject({ completed: 0, kept: 1 });
  },
);

test("an object of an unexpected size is restored as a partial file", async () => {
  const { fileKey } = await archive({ segmentCount: 3 });
  await world.context.platform.objects.put(
    objectKeySchema.parse(fileKey ?? ""),
    new Uint8Array(100),
    { contentType: "video/mp2t" },
  );
  await loseDatabase();
  expect(await rebuildIndex(context())).toMatchObject({ completed: 0, partial: 1 });
  expect((await index()).files).toMatchObject([{ status: "partial", size_bytes: 100 }]);
});

test("a deleted upload is not restored", async () => {
  const { id } = await archive({ segmentCount: 3 });
  await deleteUpload(world.context, { uploadId: id, actorId: null, atMs: Date.now() });
  const before = await index();
  await rebuildIndex(context());
  expect(await index()).toEqual(before);
});

test("an unreadable manifest is reported, and the other uploads are restored", async () => {
  await archive({ segmentCount: 3 });
  const key = objectKeySchema.parse("vods/1/2/broken.manifest.json");
  await world.context.platform.objects.put(key, new TextEncoder().encode("{"), {
    contentType: "application/json",
  });
  await loseDatabase();
  expect(await rebuildIndex(context())).toMatchObject({ completed: 1, unreadable: [key] });
});

test("restored files are unverified, so the scrub reads them first and detects damage again", async () => {
  const { fileKey } = await archive({ segmentCount: 3 });
  const key = objectKeySchema.parse(fileKey ?? "");
  const { objects } = world.context.platform;
  const { sizeBytes } = await world.storedDigest(key);
  await objects.put(key, new Uint8Array(sizeBytes), { contentType: "video/mp2t" });
  await loseDatabase();
  const { database, clock } = context().platform;
  // The reconciler ran first, and the scrub has skipped the orphan.
  await seedFile({ database, objects }, { key, status: "orphaned", sizeBytes });
  await seedFile({ database, objects }, { key: "vods/1/2/known.ts" });
  const checkedMs = clock.now() - 2 * 24 * 3_600_000;
  await database.run(sql`UPDATE files SET verified_at = ${checkedMs}, verify_part = 2`);

  expect(await rebuildIndex(context())).toMatchObject({ completed: 1 });
  expect(
    await database.all(sql`
      SELECT object_key, verified_at, verify_part FROM files ORDER BY verified_at`),
  ).toEqual([
    { object_key: key, verified_at: 0, verify_part: 1 },
    { object_key: "vods/1/2/known.ts", verified_at: checkedMs, verify_part: 2 },
  ]);
  await rebuildIndex(context());
  await runScrub(context());
  expect(await database.all(sql`SELECT status FROM files WHERE object_key = ${key}`)).toEqual([
    { status: "partial" },
  ]);
});

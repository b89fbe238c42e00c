import { afterAll, beforeEach, expect, test } from "vitest";
import { dashboardStats } from "#contract/dashboard.ts";
import * as files from "#contract/files.ts";
import * as calls from "#contract/trash.ts";
import { getUpload } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

/** Happens right before a batch. */
let meanwhile: Statement | null = null;
const vodkeep = await startTestService({
  changePlatform: (platform) => ({
    ...platform,
    database: {
      ...platform.database,
      async batch(...args) {
        if (meanwhile !== null) await platform.database.run(meanwhile);
        return await platform.database.batch(...args);
      },
    },
  }),
});
const { database, objects } = vodkeep.platform;
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

const FREE = keyOf("free");
const TRASHED = keyOf("trashed");

function keyOf(name: string) {
  return files.objectKeySchema.parse(`vods/${ADMIN}/1/${name}.ts`);
}

beforeEach(async () => {
  await database.batch([sql`DELETE FROM files`, sql`DELETE FROM uploads`, sql`DELETE FROM vods`]);
  for (const [index, key] of [FREE, TRASHED].entries()) {
    const uploadId = `u${index}`;
    await seedUpload(database, { id: uploadId, status: "completed" });
    await database.run(sql`UPDATE uploads SET vod_id = ${`7${index}`} WHERE id = ${uploadId}`);
    await seedFile(vodkeep.platform, {
      key,
      uploadId,
      userId: ADMIN,
      bytes: new Uint8Array(10 + index),
      recordedAtMs: index,
    });
  }
  await database.run(sql`UPDATE files SET trashed_at = 1, trash_until = 2
    WHERE object_key = ${TRASHED}`);
});

async function browse(query = "") {
  const answer = await admin.expect(files.browseFiles, `${files.browseFiles.path}?${query}`);
  return answer.files.map(({ key }) => key);
}

async function audited(action: string) {
  const rows = await database.all(
    sql`SELECT target FROM audit WHERE action = ${action} ORDER BY seq DESC`,
  );
  return rows.map(({ target }) => target);
}

test("a file in the trash is in no list but its own, and opens as before", async () => {
  expect(await browse()).toEqual([FREE]);
  expect(await browse("search=trashed")).toEqual([]);
  expect(await browse(`userId=${ADMIN}&sortBy=recorded`)).toEqual([FREE]);
  expect(await browse("recordedFrom=1970-01-01T00:00:00.000Z")).toEqual([FREE]);
  expect(await browse("trash=only")).toEqual([TRASHED]);
  const neighbours = await admin.expect(
    files.neighbouringFiles,
    addressOf(files.neighbouringFiles, { key: FREE }),
  );
  expect(neighbours).toEqual({ newer: [], older: [] });
  const matching = await admin.expect(files.matchingFiles, files.matchingFiles.path);
  expect(matching.files.map(({ key }) => key)).toEqual([FREE]);
  const file = await admin.expect(files.getFile, addressOf(files.getFile, { key: TRASHED }));
  expect(file).toMatchObject({ trashedAt: new Date(1).toISOString(), lockedAt: null });
  expect(file.playlistUrl).toBeDefined();
  await database.run(sql`UPDATE uploads SET object_key = ${TRASHED} WHERE id = 'u1'`);
  expect(await admin.expect(getUpload, addressOf(getUpload, { id: "u1" }))).toMatchObject({
    isFileTrashed: true,
  });
  const { storage } = await admin.expect(dashboardStats);
  expect(storage).toMatchObject({ used: 21, trashBytes: 11 });
  const stats = await admin.expect(files.fileStats);
  expect([stats.totalFiles, stats.totalSize]).toEqual([2, 21]);
});

test("a lock is set and lifted once, with its audit entry", async () => {
  const address = addressOf(calls.lockFile, { key: FREE });
  const locked = await admin.expect(calls.lockFile, address, { body: { locked: true } });
  expect(locked.lockedAt).not.toBeNull();
  vodkeep.clock.advance(1_000);
  expect(await admin.expect(calls.lockFile, address, { body: { locked: true } })).toEqual(locked);
  const unlocked = await admin.expect(calls.lockFile, address, { body: { locked: false } });
  expect(unlocked.lockedAt).toBeNull();
  expect([await audited("file.lock"), await audited("file.unlock")]).toEqual([[FREE], [FREE]]);
  const trashed = addressOf(calls.lockFile, { key: TRASHED });
  await admin.expect(calls.lockFile, trashed, { body: { locked: true } });
  expect(await browse("trash=only")).toEqual([]);
  const nowhere = addressOf(calls.lockFile, { key: `${FREE}x` });
  expect((await admin.call("PUT", nowhere, { body: { locked: true } })).status).toBe(404);
});

test("unlocking a file of a channel whose rule removes files needs the right to delete", async () => {
  const address = addressOf(calls.lockFile, { key: FREE });
  const writer = await vodkeep.signInWith("1002", ["read:uploads", "write:uploads"]);
  const set = async (locked: boolean) =>
    (await writer.call("PUT", address, { body: { locked } })).status;
  await database.run(sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
    VALUES (${ADMIN}, 1, ${ADMIN}, ${ADMIN})`);
  expect([await set(true), await set(false)]).toEqual([200, 200]);
  await database.run(
    sql`UPDATE deployment SET default_rule = '{"retention":{"keep":"count","count":1}}'`,
  );
  expect([await set(true), await set(false)]).toEqual([200, 403]);
  expect(
    (await admin.expect(calls.lockFile, address, { body: { locked: false } })).lockedAt,
  ).toBeNull();
  await database.batch([sql`DELETE FROM channels`, sql`UPDATE deployment SET default_rule = '{}'`]);
});

test("restoring locks a file; what is not in the trash stays as it is", async () => {
  const body = { keys: [FREE, TRASHED] };
  expect(await admin.expect(calls.restoreFiles, undefined, { body })).toEqual({ restored: 1 });
  expect(await admin.expect(calls.restoreFiles, undefined, { body })).toEqual({ restored: 0 });
  expect(await audited("file.restore")).toEqual([TRASHED]);
  expect((await browse()).toSorted()).toEqual([FREE, TRASHED]);
  const [row] = await database.all(
    sql`SELECT locked_at IS NOT NULL AS is_locked, trashed_at, trash_until FROM files WHERE object_key = ${TRASHED}`,
  );
  expect(row).toEqual({ is_locked: 1, trashed_at: null, trash_until: null });
});

test("a person moves free files to the trash, and restores them without a lock", async () => {
  const body = { keys: [FREE, TRASHED] };
  const trash = () => admin.expect(calls.trashFiles, undefined, { body });
  await database.run(sql`UPDATE uploads SET status = 'pending' WHERE id = 'u0'`);
  expect(await trash()).toEqual({ trashed: [] });
  await database.run(sql`UPDATE uploads SET status = 'completed' WHERE id = 'u0'`);
  await database.run(sql`UPDATE files SET locked_at = 1 WHERE object_key = ${FREE}`);
  expect(await trash()).toEqual({ trashed: [] });
  await database.run(sql`UPDATE files SET locked_at = NULL`);
  expect(await trash()).toEqual({ trashed: [FREE] });
  expect(await audited("file.trash")).toEqual([FREE]);
  expect(await browse()).toEqual([]);
  await admin.expect(calls.restoreFiles, undefined, { body });
  const rows = await database.all(
    sql`SELECT object_key, locked_at IS NOT NULL AS is_locked FROM files WHERE trash_until IS NULL ORDER BY seq`,
  );
  expect(rows).toEqual([
    { object_key: FREE, is_locked: 0 },
    { object_key: TRASHED, is_locked: 1 },
  ]);
});

test("emptying the trash deletes its files from the store, but none whose upload runs", async () => {
  await database.run(sql`UPDATE uploads SET status = 'pending' WHERE id = 'u1'`);
  expect(await admin.expect(calls.emptyTrash)).toEqual({ deleted: 0, freed: 0, left: 1 });
  await database.run(sql`UPDATE uploads SET status = 'completed' WHERE id = 'u1'`);
  expect(await admin.expect(calls.emptyTrash)).toEqual({ deleted: 1, freed: 11, left: 0 });
  expect(await audited("file.delete")).toEqual([TRASHED]);
  expect([await objects.head(TRASHED), await browse("trash=only")]).toEqual([null, []]);
  expect(await browse()).toEqual([FREE]);
});

test("a file that is restored while the trash is emptied stays", async () => {
  meanwhile = sql`UPDATE files SET trashed_at = NULL, trash_until = NULL`;
  const emptied = await admin.expect(calls.emptyTrash);
  meanwhile = null;
  expect(emptied).toEqual({ deleted: 0, freed: 0, left: 0 });
  expect(await objects.head(TRASHED)).not.toBeNull();
});

test("the gravest change at the source is named, and finds the file", async () => {
  expect(await browse("source=changed")).toEqual([]);
  await database.run(sql`INSERT INTO vods (vod_id, owner_id, kind, title, recorded_at, first_seen_at,
      last_seen_at, muted_at, cut_at)
    VALUES ('70', ${ADMIN}, 'archive', 'x', 0, 0, 0, 3, 4)`);
  await database.run(sql`UPDATE files SET vod_id = '70' WHERE object_key = ${FREE}`);
  expect(await browse("source=changed")).toEqual([FREE]);
  const read = () => admin.expect(files.getFile, addressOf(files.getFile, { key: FREE }));
  expect((await read()).sourceChange).toEqual({ kind: "cut", since: new Date(4).toISOString() });
  await database.run(sql`UPDATE vods SET gone_at = 5`);
  expect((await read()).sourceChange).toEqual({ kind: "gone", since: new Date(5).toISOString() });
});

test("room is found in groups, the safest first, without what may not go", async () => {
  const nowMs = vodkeep.clock.now();
  await database.run(sql`DELETE FROM files`);
  const add = (name: string, seed: object = {}) =>
    seedFile(vodkeep.platform, { key: keyOf(name), userId: ADMIN, sizeBytes: 10, ...seed });
  await add("orphan", { status: "orphaned", userId: null });
  await add("half", { status: "partial", vodId: "80", uploadType: "chunk" });
  await add("only-half", { status: "partial", vodId: "81" });
  await add("whole", { vodId: "80", sizeBytes: 50 });
  await add("listed", { vodId: "82", sizeBytes: 30 });
  const doubts = {
    gone: sql`gone_at = ${nowMs}`,
    absent: sql`absent_since_at = ${nowMs}`,
    missing: sql`missing_lists = 1`,
    muted: sql`muted_at = ${nowMs}`,
    unlisted: sql`last_seen_at = ${nowMs - 25 * 3_600_000}`,
  };
  for (const name of Object.keys(doubts)) await add(name, { vodId: name, sizeBytes: 40 });
  await add("other-half", { status: "partial", vodId: "84", uploadType: "chunk" });
  await add("trashed-whole", { vodId: "84" });
  await add("watched", { sizeBytes: 60 });
  await add("locked", { status: "orphaned" });
  await add("running", { status: "orphaned", uploadId: "busy" });
  await seedUpload(database, { id: "busy", status: "processing" });
  for (const vodId of ["82", ...Object.keys(doubts)])
    await database.run(sql`
      INSERT INTO vods (vod_id, owner_id, kind, title, recorded_at, first_seen_at, last_seen_at)
      VALUES (${vodId}, ${ADMIN}, 'archive', 'A VOD', 1, 1, ${nowMs})`);
  await database.batch([
    sql`UPDATE files SET trashed_at = 1, trash_until = 2 WHERE object_key = ${keyOf("trashed-whole")}`,
    ...Object.entries(doubts).map(
      ([vodId, doubt]) => sql`UPDATE vods SET ${doubt} WHERE vod_id = ${vodId}`,
    ),
  ]);
  await admin.expect(calls.lockFile, addressOf(calls.lockFile, { key: keyOf("locked") }), {
    body: { locked: true },
  });
  await database.run(sql`INSERT INTO audit (at, action, target, result)
    VALUES (${nowMs}, 'file.play', ${keyOf("watched")}, 'done')`);
  const { groups } = await admin.expect(calls.findRoom);
  expect(
    groups.map(({ group, files: count, sizeBytes, largest }) => [
      group,
      count,
      sizeBytes,
      largest.map(({ key }) => key),
    ]),
  ).toEqual([
    ["orphaned", 1, 10, [keyOf("orphan")]],
    ["partial", 1, 10, [keyOf("half")]],
    ["at_source", 1, 30, [keyOf("listed")]],
    ["unwatched", 6, 250, ["whole", ...Object.keys(doubts)].map(keyOf)],
  ]);
});

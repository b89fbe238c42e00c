import { afterAll, beforeEach, afterEach, expect, test } from "vitest";
import { listAudit } from "#contract/audit.ts";
import * as calls from "#contract/files.ts";
import { MAX_BULK_FILES } from "#contract/limits.ts";
import { sql } from "#service/db/sql.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { seedFile, type FileSeed } from "#service/testing/file-rows.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

/** Keys that the store refuses to delete. */
const locked = new Set<string>();
const vodkeep = await startTestService({
  changePlatform: ({ objects, ...platform }) => ({
    ...platform,
    objects: {
      ...objects,
      delete: (key) =>
        locked.has(key)
          ? Promise.reject(new StoreError("denied", "Object Lock protects the object"))
          : objects.delete(key),
    },
  }),
});
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());
beforeEach(async () => {
  for (const letter of ["a", "b", "c"]) await seed(letter, {});
});
afterEach(() => vodkeep.platform.database.run(sql`DELETE FROM files`));

const keyOf = (letter: string) => `vods/${letter}/video.ts`;

async function seed(letter: string, facts: Partial<FileSeed>): Promise<void> {
  const bytes = new Uint8Array(letter.charCodeAt(0));
  await seedFile(vodkeep.platform, { key: keyOf(letter), filename: letter, bytes, ...facts });
}

async function matching(query = ""): Promise<calls.ChosenFile[]> {
  const { files } = await admin.expect(calls.matchingFiles, `${calls.matchingFiles.path}${query}`);
  return files;
}

async function remove(files: readonly unknown[]) {
  return await admin.expect(calls.bulkDeleteFiles, undefined, { body: { files } });
}

function post(client: TestClient, files: readonly unknown[]) {
  return client.call("POST", calls.bulkDeleteFiles.path, { body: { files } });
}

async function isStored(letter: string): Promise<boolean> {
  return (await vodkeep.platform.objects.head(calls.objectKeySchema.parse(keyOf(letter)))) !== null;
}

test("a locked file is not deleted, alone or among others", async () => {
  await vodkeep.platform.database.run(
    sql`UPDATE files SET locked_at = 1 WHERE object_key = ${keyOf("b")}`,
  );
  const error = "This file is locked. Unlock it first.";
  const alone = await admin.call("DELETE", `/admin/r2/file/${keyOf("b")}`);
  expect(alone).toMatchObject({ status: 409, error: { code: "conflict", message: error } });
  const { results } = await remove(await matching());
  expect(results.filter(({ ok }) => !ok)).toEqual([{ key: keyOf("b"), ok: false, error }]);
  expect(await Promise.all(["a", "b", "c"].map(isStored))).toEqual([false, true, false]);
});

test("matching files respect the status filter and the search", async () => {
  await seed("d", { status: "orphaned", filename: "lost stream" });
  expect((await matching()).map(({ key }) => key).toSorted()).toEqual(
    ["a", "b", "c", "d"].map(keyOf),
  );
  expect(await matching("?status=orphaned")).toEqual([
    { key: keyOf("d"), size: 100, status: "orphaned" },
  ]);
  expect((await matching("?search=lost")).map(({ key }) => key)).toEqual([keyOf("d")]);
  expect(await matching("?search=nothing%20like%20this")).toEqual([]);
});

test("several files are deleted with their objects, audited, and the freed bytes returned", async () => {
  const answer = await remove((await matching()).slice(0, 2));
  expect(answer).toMatchObject({ deleted: 2, failed: 0 });
  const gone = answer.results.map(({ key }) => key);
  expect(answer.freed).toBe(gone.reduce((sum, key) => sum + key.charCodeAt(5), 0));
  expect((await matching()).map(({ key }) => key)).not.toContain(gone[0]);
  const stored = await Promise.all(["a", "b", "c"].map(isStored));
  expect(stored.filter(Boolean)).toHaveLength(1);
  const log = await admin.expect(listAudit, `${listAudit.path}?action=file.delete`);
  expect(log.items.map(({ target }) => target)).toEqual(expect.arrayContaining(gone));
});

test("files that changed after they were selected are kept, with an explanation", async () => {
  const chosen = await matching();
  await vodkeep.platform.database.run(
    sql`UPDATE files SET status = 'partial' WHERE object_key = ${keyOf("a")}`,
  );
  await vodkeep.platform.database.run(
    sql`UPDATE files SET size_bytes = 1 WHERE object_key = ${keyOf("b")}`,
  );
  const { results, deleted, failed } = await remove(chosen);
  expect({ deleted, failed }).toEqual({ deleted: 1, failed: 2 });
  for (const letter of ["a", "b"]) {
    expect(results.find(({ key }) => key === keyOf(letter))).toEqual({
      key: keyOf(letter),
      ok: false,
      error: "This file has changed since it was selected. Check it again.",
    });
    expect(await isStored(letter)).toBe(true);
  }
});

test("files of running uploads, missing files and duplicates are checked individually", async () => {
  for (const [name, status] of [
    ["d", "processing"],
    ["e", "pending"],
  ] as const) {
    await seedUpload(vodkeep.platform.database, { id: status, status });
    await seed(name, { uploadId: status, status: "partial" });
  }
  const { files: chosen, running } = await admin.expect(calls.matchingFiles);
  expect(running.toSorted()).toEqual([keyOf("d"), keyOf("e")]);
  await vodkeep.platform.database.run(sql`DELETE FROM files WHERE object_key = ${keyOf("c")}`);
  const { results } = await remove([...chosen, ...chosen.slice(0, 1)]);
  expect(Object.fromEntries(results.map(({ key, error }) => [key, error]))).toEqual({
    [keyOf("a")]: undefined,
    [keyOf("b")]: undefined,
    [keyOf("c")]: "There is no such file.",
    [keyOf("d")]: "This file's upload is still running. Cancel the upload first.",
    [keyOf("e")]: "This file's upload is still running. Cancel the upload first.",
  });
});

test("bulk deletion requires delete:uploads, valid keys and an allowed number of files", async () => {
  const reader = await vodkeep.signInWith((await vodkeep.twitch.control.addAccount()).id, [
    "read:uploads",
  ]);
  const [file] = await matching();
  expect((await post(reader, [file])).status).toBe(403);
  expect((await post(admin, [])).status).toBe(400);
  expect((await post(admin, Array(MAX_BULK_FILES + 1).fill(file))).status).toBe(400);
  expect((await post(admin, [{ ...file, key: "../x" }])).status).toBe(400);
  expect(await matching()).toHaveLength(3);
});

test("a file that the store refuses to delete is reported as such, alone and among others", async () => {
  for (const letter of ["a", "b"]) locked.add(keyOf(letter));
  const alone = await admin.expect(calls.deleteFile, `/admin/r2/file/${keyOf("a")}`);
  expect(alone).toMatchObject({ refusal: "Object Lock protects the object" });
  const answer = await remove(await matching());
  expect(answer).toMatchObject({ deleted: 1, failed: 1, freed: "c".charCodeAt(0) });
  expect(answer.results.find(({ ok }) => !ok)).toMatchObject({
    key: keyOf("b"),
    error: expect.stringContaining("Object Lock protects the object."),
  });
  expect(await matching()).toEqual([]);
  locked.clear();
});

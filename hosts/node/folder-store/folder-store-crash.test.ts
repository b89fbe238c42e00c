import { createHash } from "node:crypto";
import { type FileHandle, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { type FolderStoreWorld, makeFolderStoreWorld } from "../testing/folder-store-world.ts";
import type { FolderStore } from "./folder-store.ts";

const PART_BYTES = 5 * 1024 * 1024;
const FIRST = new Uint8Array(PART_BYTES).fill(1);
const SECOND = new Uint8Array(PART_BYTES).fill(2);
const THIRD = new Uint8Array(999).fill(3);

describe("a folder store after a crash", () => {
  let world: FolderStoreWorld;
  beforeEach(async () => {
    world = await makeFolderStoreWorld();
  });

  /** Starts an upload with two parts on disk. */
  async function beginUpload() {
    const store = await world.open();
    const handle = await store.createMultipart(objectKeySchema.parse("vods/1/2.ts"), {
      contentType: "video/mp2t",
    });
    const parts = [
      await store.uploadPart(handle, 1, FIRST),
      await store.uploadPart(handle, 2, SECOND),
    ];
    await store.close();
    const uploadFolder = join(world.root, "~uploads", handle.multipartId);
    const content = join(uploadFolder, "content");
    return { handle, parts, content, ledger: join(uploadFolder, "parts.jsonl") };
  }

  it("resumes from the ledger lines before a zeroed range", async () => {
    const { handle, parts, ledger } = await beginUpload();
    const text = await readFile(ledger, "utf8");
    const second = text.indexOf('{"partNumber":2');
    await writeFile(ledger, `${text.slice(0, second)}${"\0".repeat(512)}\n${text.slice(second)}`);
    const store = await world.open();
    await expect(store.completeMultipart(handle, parts)).rejects.toMatchObject({
      kind: "bad_part",
      message: expect.stringContaining("Part 2"),
    });
    expect(await store.head(handle.key)).toBeNull();
    await store.uploadPart(handle, 2, SECOND);
    await store.completeMultipart(handle, parts);
    expect(await digestOfObject(store, handle.key)).toBe(
      createHash("sha256").update(FIRST).update(SECOND).digest("hex"),
    );
  });

  it("resumes with a part size that it learned before", async () => {
    const { handle, ledger } = await beginUpload();
    const lines = (await readFile(ledger, "utf8")).split("\n");
    // The last part was recorded, the first was not.
    const store = await world.open();
    const last = await store.uploadPart(handle, 3, THIRD);
    await store.close();
    const written = await readFile(ledger, "utf8");
    await writeFile(ledger, written.slice(lines.join("\n").length));
    const again = await world.open();
    const parts = [
      await again.uploadPart(handle, 1, FIRST),
      await again.uploadPart(handle, 2, SECOND),
      last,
    ];
    await again.completeMultipart(handle, parts);
    expect(await digestOfObject(again, handle.key)).toBe(
      createHash("sha256").update(FIRST).update(SECOND).update(THIRD).digest("hex"),
    );
  });

  it("removes an upload that was killed before its final cleanup", async () => {
    const { handle, content } = await beginUpload();
    await rm(content);
    const store = await world.open();
    expect(await store.listMultiparts()).toEqual([]);
    await expect(store.uploadPart(handle, 1, new Uint8Array(1))).rejects.toMatchObject({
      kind: "no_such_upload",
    });
    expect(await readdir(join(world.root, "~uploads"))).toEqual([]);
  });

  it("ignores a truncated last line of a ledger", async () => {
    const { handle, parts, content } = await beginUpload();
    await writeFile(join(content, "..", "parts.jsonl"), '{"partNumber": 3, "si', { flag: "a" });
    const store = await world.open();
    const third = await store.uploadPart(handle, 3, THIRD);
    await store.close();
    const again = await world.open();
    const head = await again.completeMultipart(handle, [...parts, third]);
    expect(head.sizeBytes).toBe(2 * PART_BYTES + 999);
  });

  it("lists a manually added file with an unknown tag", async () => {
    const store = await world.open();
    await writeFile(join(world.root, "by-hand.ts"), "hello");
    const [found] = (await store.list({})).objects;
    expect(found).toMatchObject({ key: "by-hand.ts", sizeBytes: 5, contentType: null });
    expect(found?.tag).toMatch(/^unknown-/);
  });

  it("treats an object whose file was removed as missing", async () => {
    const store = await world.open();
    const key = objectKeySchema.parse("a/b");
    await store.put(key, new Uint8Array(9), { contentType: "text/plain" });
    await rm(join(world.root, "a/b"));
    expect(await store.head(key)).toBeNull();
    expect((await store.list({})).objects).toEqual([]);
  });
});

describe("what a folder store confirms is on the disk", () => {
  it("with the folder that names it: an object, a part, and an upload", async () => {
    const world = await makeFolderStoreWorld();
    const store = await world.open();
    const isSynced = await watchSyncs(world.folder);
    const put = await store.put(objectKeySchema.parse("a/put"), FIRST, { contentType: "x/y" });
    const handle = await store.createMultipart(objectKeySchema.parse("b/whole"), {
      contentType: "x/y",
    });
    const upload = join(world.root, "~uploads", handle.multipartId);
    // The content was synced when it was made.
    const isSyncedSince = await watchSyncs(world.folder);
    const part = await store.uploadPart(handle, 1, FIRST);
    expect(await isSyncedSince(join(upload, "content"))).toBe(true);
    const whole = await store.completeMultipart(handle, [part]);
    for (const { key } of [put, whole]) {
      expect(await isSynced(join(world.root, key))).toBe(true);
      expect(await isSynced(dirname(join(world.root, key)))).toBe(true);
    }
  });
});

/** Whether a file or folder was synced since the call, by any descriptor. */
async function watchSyncs(folder: string): Promise<(path: string) => Promise<boolean>> {
  const synced = new Set<number>();
  const probe = await open(folder, "r");
  const handles: Pick<FileHandle, "sync" | "datasync"> = Object.getPrototypeOf(probe);
  await probe.close();
  for (const name of ["sync", "datasync"] as const) {
    const original = handles[name];
    handles[name] = async function (this: FileHandle) {
      synced.add((await this.stat()).ino);
      await original.call(this);
    };
    onTestFinished(() => void (handles[name] = original));
  }
  return async (path) => synced.has((await stat(path)).ino);
}

async function digestOfObject(store: FolderStore, key: ObjectKey): Promise<string> {
  const found = await store.get(key);
  const hash = createHash("sha256");
  for await (const chunk of found?.body ?? []) hash.update(chunk);
  return hash.digest("hex");
}

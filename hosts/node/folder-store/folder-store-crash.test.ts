import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { createByteWorker, type ByteWorker } from "../byte-worker.ts";
import { openFolderStore, type FolderStore } from "./folder-store.ts";
import { makeTemporaryFolder } from "../testing/temporary-folder.ts";

const PART_BYTES = 5 * 1024 * 1024;
const FIRST = new Uint8Array(PART_BYTES).fill(1);
const SECOND = new Uint8Array(PART_BYTES).fill(2);
const THIRD = new Uint8Array(999).fill(3);

describe("a folder store whose process was killed", () => {
  let folder: { path: string; remove(): Promise<void> };
  let byteWorker: ByteWorker;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    byteWorker = createByteWorker();
  });
  afterEach(async () => {
    await byteWorker.close();
    await folder.remove();
  });

  const openStore = (): Promise<FolderStore> =>
    openFolderStore({ root: folder.path, byteWorker, clock: systemClock });

  /** Starts an upload with two parts on disk. */
  async function beginUpload() {
    const store = await openStore();
    const handle = await store.createMultipart(objectKeySchema.parse("vods/1/2.ts"), {
      contentType: "video/mp2t",
    });
    const parts = [
      await store.uploadPart(handle, 1, FIRST),
      await store.uploadPart(handle, 2, SECOND),
    ];
    await store.close();
    const uploadFolder = join(folder.path, "~uploads", handle.multipartId);
    const content = join(uploadFolder, "content");
    return { handle, parts, content, ledger: join(uploadFolder, "parts.jsonl") };
  }

  it("goes on from the lines of a ledger before those that a power cut has zeroed", async () => {
    const { handle, parts, ledger } = await beginUpload();
    const text = await readFile(ledger, "utf8");
    const second = text.indexOf('{"partNumber":2');
    await writeFile(ledger, `${text.slice(0, second)}${"\0".repeat(512)}\n${text.slice(second)}`);
    const store = await openStore();
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
    await store.close();
  });

  it("forgets an upload that was killed between its last step and its clearing away", async () => {
    const { handle, content } = await beginUpload();
    await rm(content);
    const store = await openStore();
    expect(await store.listMultiparts()).toEqual([]);
    await expect(store.uploadPart(handle, 1, new Uint8Array(1))).rejects.toMatchObject({
      kind: "no_such_upload",
    });
    expect(await readdir(join(folder.path, "~uploads"))).toEqual([]);
    await store.close();
  });

  it("passes over the last line of a ledger that was cut short", async () => {
    const { handle, parts, content } = await beginUpload();
    await writeFile(join(content, "..", "parts.jsonl"), '{"partNumber": 3, "si', { flag: "a" });
    const store = await openStore();
    const third = await store.uploadPart(handle, 3, THIRD);
    await store.close();
    const again = await openStore();
    const head = await again.completeMultipart(handle, [...parts, third]);
    expect(head.sizeBytes).toBe(2 * PART_BYTES + 999);
    await again.close();
  });

  it("lists a file that somebody put there, with a tag that proves nothing", async () => {
    const store = await openStore();
    await writeFile(join(folder.path, "by-hand.ts"), "hello");
    const [found] = (await store.list({})).objects;
    expect(found).toMatchObject({ key: "by-hand.ts", sizeBytes: 5, contentType: null });
    expect(found?.tag).toMatch(/^unknown-/);
    await store.close();
  });

  it("takes an object whose file somebody removed for absent", async () => {
    const store = await openStore();
    const key = objectKeySchema.parse("a/b");
    await store.put(key, new Uint8Array(9), { contentType: "text/plain" });
    await rm(join(folder.path, "a/b"));
    expect(await store.head(key)).toBeNull();
    expect((await store.list({})).objects).toEqual([]);
    await store.close();
  });
});

async function digestOfObject(store: FolderStore, key: ObjectKey): Promise<string> {
  const found = await store.get(key);
  const hash = createHash("sha256");
  for await (const chunk of found?.body ?? []) hash.update(chunk);
  return hash.digest("hex");
}

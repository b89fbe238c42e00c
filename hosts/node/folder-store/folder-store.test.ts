import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { describeObjectStore } from "#hosts/conformance/object-store-suite.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { buildVersion, writeHead } from "./folder-head.ts";
import { objectPath, openFolderLayout } from "./folder-layout.ts";
import { makeTemporaryFolder } from "../testing/temporary-folder.ts";
import { makeFolderStoreWorld } from "../testing/folder-store-world.ts";

test("a folder on a disk that is not mounted is named, and opens once it is", async () => {
  await using folder = await makeTemporaryFolder();
  const disk = join(folder.path, "disk/objects");
  await symlink(disk, join(folder.path, "objects"));
  await expect(openFolderLayout(join(folder.path, "objects"))).rejects.toThrow(/Mount its disk/);
  await mkdir(disk, { recursive: true });
  expect((await openFolderLayout(join(folder.path, "objects"))).root).toBe(disk);
});

test("a store that is only read writes nothing, so that an empty mount point stays empty", async () => {
  const { root, open } = await makeFolderStoreWorld();
  const objects = await open();
  expect(await objects.head(objectKeySchema.parse("vods/1/2/3.ts"))).toBeNull();
  expect(await objects.listMultiparts()).toEqual([]);
  expect(await readdir(root)).toEqual([]);
});

describeObjectStore(
  "A folder",
  {
    refusesUnequalParts: true,
    listsMetadata: true,
    listsMultiparts: true,
    partTagsAreDigests: true,
  },
  async () => {
    const { root, open } = await makeFolderStoreWorld();
    return {
      objects: await open(),
      async putByOthers(name, bytes) {
        const path = join(root, name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, bytes);
      },
      close: async () => undefined,
    };
  },
);

test("an object overwritten within a millisecond gets a later modification time", async () => {
  const world = await makeFolderStoreWorld({ ...systemClock, now: () => 1_700_000_000_000 });
  const objects = await world.open();
  const key = objectKeySchema.parse("vods/1/2/3.ts");
  const first = await objects.put(key, new Uint8Array(9), { contentType: "video/mp2t" });
  const second = await objects.put(key, new Uint8Array(9).fill(1), { contentType: "video/mp2t" });
  expect(second.lastModifiedAt.getTime()).toBeGreaterThan(first.lastModifiedAt.getTime());
  expect(await objects.head(key)).toEqual(second);
});

test("a part that is larger than the first one uploaded is refused, and nothing is overwritten", async () => {
  const { open } = await makeFolderStoreWorld();
  const objects = await open();
  const key = objectKeySchema.parse("vods/1/2/3.ts");
  const handle = await objects.createMultipart(key, { contentType: "video/mp2t" });
  const full = new Uint8Array(5 * 1024 * 1024).fill(1);
  const parts = [
    await objects.uploadPart(handle, 1, full),
    await objects.uploadPart(handle, 2, Buffer.from("end")),
  ];
  const larger = objects.uploadPart(handle, 1, new Uint8Array(full.byteLength + 1));
  await expect(larger).rejects.toMatchObject({
    kind: "bad_part",
    message: expect.stringContaining("Part 1 has 5242881 bytes, more than the 5242880"),
  });
  await objects.completeMultipart(handle, parts);
  const stored = await new Response((await objects.get(key))?.body).arrayBuffer();
  expect(Buffer.concat([full, Buffer.from("end")]).equals(new Uint8Array(stored))).toBe(true);
});

test("an unfinished upload of an earlier version keeps its parts", async () => {
  const { root, open } = await makeFolderStoreWorld();
  const objects = await open();
  const key = objectKeySchema.parse("vods/1/2/3.ts");
  const handle = await objects.createMultipart(key, { contentType: "video/mp2t" });
  const full = new Uint8Array(5 * 1024 * 1024).fill(1);
  const first = await objects.uploadPart(handle, 1, full);
  await objects.close();
  const folder = join(root, "~uploads", handle.multipartId);
  const { partSizeBytes: _, ...description } = JSON.parse(
    await readFile(join(folder, "upload.json"), "utf8"),
  );
  await writeFile(join(folder, "upload.json"), JSON.stringify(description));
  const placed = { ...first, sizeBytes: full.byteLength, offset: 0 };
  const ledger = [{ partSizeBytes: full.byteLength }, placed].map((line) => JSON.stringify(line));
  await writeFile(join(folder, "parts.jsonl"), `${ledger.join("\n")}\n`);
  const reopened = await open();
  const second = await reopened.uploadPart(handle, 2, Buffer.from("end"));
  const { sizeBytes } = await reopened.completeMultipart(handle, [first, second]);
  expect(sizeBytes).toBe(full.byteLength + 3);
});

test("parts that a failed completion left out cannot be named later", async () => {
  const { open } = await makeFolderStoreWorld();
  const objects = await open();
  const type = { contentType: "video/mp2t" };
  await objects.put(objectKeySchema.parse("vods/1"), new Uint8Array(1), type);
  const handle = await objects.createMultipart(objectKeySchema.parse("vods"), type);
  const parts = [
    await objects.uploadPart(handle, 1, new Uint8Array(5 * 1024 * 1024)),
    await objects.uploadPart(handle, 2, new Uint8Array(9).fill(1)),
  ];
  // A folder has the object's name.
  await expect(objects.completeMultipart(handle, parts.slice(0, 1))).rejects.toThrow("EISDIR");
  await expect(objects.completeMultipart(handle, parts)).rejects.toMatchObject({
    kind: "bad_part",
  });
});

test("objects of one folder can be deleted concurrently", async () => {
  const { root, open } = await makeFolderStoreWorld();
  const objects = await open();
  for (let round = 0; round < 20; round += 1) {
    const keys = Array.from({ length: 8 }, (_, number) => objectKeySchema.parse(`a/b/${number}`));
    for (const key of keys)
      await objects.put(key, new Uint8Array(1), { contentType: "text/plain" });
    await Promise.all(keys.map((key) => objects.delete(key)));
  }
  expect(await readdir(root)).not.toContain("a");
});

test("a head without its object does not affect the existing object", async () => {
  const { root, open } = await makeFolderStoreWorld();
  const objects = await open();
  const key = objectKeySchema.parse("vods/1/2/3.ts");
  const present = await objects.put(key, new Uint8Array(9), {
    contentType: "video/mp2t",
    metadata: { uploadId: "3" },
  });
  // The remains of a process killed before it moved the new object into place.
  const layout = await openFolderLayout(root);
  const killed = buildVersion(5, present.lastModifiedAt.getTime() + 1, "tag", {
    contentType: "video/mp4",
  });
  await writeHead(layout, objectPath(layout, key), killed, "killed");
  expect(await objects.head(key)).toEqual(present);
});

test("symbolic links inside the folder are never followed, to files or folders", async () => {
  const { root, folder, open } = await makeFolderStoreWorld();
  const outside = join(folder, "outside");
  const store = await open();
  await mkdir(`${outside}/deep`, { recursive: true });
  await writeFile(`${outside}/secret-key`, "secret");
  await writeFile(`${outside}/deep/secret.ts`, "secret");
  await mkdir(join(root, "vods"));
  await symlink(`${outside}/secret-key`, join(root, "vods/linked.ts"));
  await symlink(outside, join(root, "manual"));

  const linked = objectKeySchema.parse("vods/linked.ts");
  expect(await store.get(linked)).toBeNull();
  expect(await store.head(linked)).toBeNull();
  await store.put(linked, Buffer.from("own"), { contentType: "video/mp2t" });
  expect(await readFile(`${outside}/secret-key`, "utf8")).toBe("secret");

  for (const key of ["manual/secret-key", "manual/deep/secret.ts", "manual/new/file.ts"].map(
    (text) => objectKeySchema.parse(text),
  )) {
    const denied = { kind: "denied" };
    await expect(store.get(key)).rejects.toMatchObject(denied);
    await expect(store.head(key)).rejects.toMatchObject(denied);
    await expect(store.delete(key)).rejects.toMatchObject(denied);
    const put = store.put(key, Buffer.from("own"), { contentType: "video/mp2t" });
    await expect(put).rejects.toMatchObject(denied);
  }
  expect((await readdir(outside)).toSorted()).toEqual(["deep", "secret-key"]);
  const { objects } = await store.list({});
  expect(objects.map(({ key }) => key)).toEqual(["vods/linked.ts"]);

  const handle = await store.createMultipart(linked, { contentType: "video/mp2t" });
  await rm(join(root, "~uploads", handle.multipartId, "content"));
  await symlink(`${outside}/secret-key`, join(root, "~uploads", handle.multipartId, "content"));
  const part = store.uploadPart(handle, 1, Buffer.from("own"));
  await expect(part).rejects.toMatchObject({ kind: "no_such_upload" });
  expect(await readFile(`${outside}/secret-key`, "utf8")).toBe("secret");
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import type { ObjectHead, ObjectStore, StoredPart } from "#service/platform.ts";

export type ObjectStoreUnderTest = { readonly objects: ObjectStore; close(): Promise<void> };

/** Where stores may differ. */
export type ObjectStoreTraits = {
  /** Amazon's and others' S3 joins parts of any size. */
  readonly refusesUnequalParts: boolean;
  /** S3 lists neither content type nor metadata. */
  readonly listsMetadata: boolean;
  /** R2's binding and R2's emulator of S3 do not list unfinished uploads. */
  readonly listsMultiparts: boolean;
  /** R2's emulator gives out parts' tags that say nothing. */
  readonly partTagsAreDigests: boolean;
};

const MIB = 1024 * 1024;
const PART_BYTES = 5 * MIB;

const HELLO_DIGESTS = {
  "sha-256": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
  md5: "5d41402abc4b2a76b9719d911017c592",
  none: null,
};

const TYPE = { contentType: "video/mp2t" };

/** What the archive engine and the file browser rely on in every object store. */
export function describeObjectStore(
  name: string,
  traits: ObjectStoreTraits,
  open: () => Promise<ObjectStoreUnderTest>,
): void {
  describe(`${name} as the object store`, () => {
    let opened: ObjectStoreUnderTest;
    let objects: ObjectStore;

    beforeEach(async () => {
      opened = await open();
      ({ objects } = opened);
    });
    afterEach(() => opened.close());

    async function textOf(key: ObjectKey, offset: number, length: number): Promise<string | null> {
      const found = await objects.get(key, { offset, length });
      return found === null ? null : new Response(found.body).text();
    }

    async function bytesOf(key: ObjectKey): Promise<Uint8Array> {
      const found = await objects.get(key);
      if (found === null) throw new Error(`${key} is not there`);
      return new Uint8Array(await new Response(found.body).arrayBuffer());
    }

    async function allKeys(prefix?: string): Promise<readonly string[]> {
      const keys: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { objects: readonly ObjectHead[]; cursor: string | null } = await objects.list({
          ...(prefix === undefined ? {} : { prefix }),
          ...(cursor === null ? {} : { cursor }),
        });
        expect(page.objects.length).toBeLessThanOrEqual(1_000);
        keys.push(...page.objects.map((object) => object.key));
        ({ cursor } = page);
      } while (cursor !== null);
      return keys;
    }

    describe("with whole objects", () => {
      it("gives back what was put, with its type and metadata", async () => {
        const key = keyOf("vods/1/2/chat.json");
        const put = await objects.put(key, encode("{}"), {
          contentType: "application/json",
          metadata: { title: "Größe = 100 % ★", "upload-id": "u1" },
        });
        const found = await objects.get(key);
        expect(await new Response(found?.body).text()).toBe("{}");
        expect(found?.head).toEqual(put);
        expect(await objects.head(key)).toEqual(put);
        expect(put).toMatchObject({
          key,
          sizeBytes: 2,
          contentType: "application/json",
          metadata: { title: "Größe = 100 % ★", "upload-id": "u1" },
        });
        expect(put.tag).toMatch(/^[^"]+$/);
        expect(Math.abs(put.lastModifiedAt.getTime() - Date.now())).toBeLessThan(60_000);
      });

      it("holds an object of no bytes", async () => {
        const key = keyOf("empty.json");
        expect((await objects.put(key, new Uint8Array(), TYPE)).sizeBytes).toBe(0);
        expect(await bytesOf(key)).toEqual(new Uint8Array());
      });

      it("replaces bytes, type, metadata and tag together", async () => {
        const key = keyOf("a/b.json");
        const before = await objects.put(key, encode("one"), {
          contentType: "text/plain",
          metadata: { round: "1" },
        });
        const after = await objects.put(key, encode("two"), { contentType: "text/html" });
        expect(after.tag).not.toBe(before.tag);
        expect(await objects.head(key)).toMatchObject({ contentType: "text/html", metadata: {} });
        expect(await textOf(key, 0, 10)).toBe("two");
      });

      it("knows no absent object, nor one that is only the beginning of a key", async () => {
        await objects.put(keyOf("vods/1/2.ts"), encode("x"), TYPE);
        for (const absent of ["vods/1/3.ts", "vods/1", "vods", "vods/1/2.ts/3"]) {
          expect(await objects.head(keyOf(absent))).toBeNull();
          expect(await objects.get(keyOf(absent))).toBeNull();
        }
      });

      it("deletes exactly one key, and an absent one without complaint", async () => {
        await objects.put(keyOf("a/1"), encode("x"), TYPE);
        await objects.put(keyOf("a/12"), encode("y"), TYPE);
        await objects.delete(keyOf("a/1"));
        await objects.delete(keyOf("a/1"));
        await objects.delete(keyOf("never/was"));
        expect(await allKeys()).toEqual(["a/12"]);
        await objects.put(keyOf("a/1"), encode("again"), TYPE);
        expect(await textOf(keyOf("a/1"), 0, 9)).toBe("again");
      });

      it("survives many writers of one key: the last whole one stays", async () => {
        const key = keyOf("busy");
        await Promise.all(
          Array.from({ length: 12 }, (_, index) =>
            objects.put(key, new Uint8Array(100_000 + index).fill(index), TYPE),
          ),
        );
        const bytes = await bytesOf(key);
        expect(new Set(bytes).size).toBe(1);
        expect(bytes.byteLength).toBe(100_000 + (bytes[0] ?? 0));
        expect((await objects.head(key))?.sizeBytes).toBe(bytes.byteLength);
      });
    });

    describe("with ranges", () => {
      const key = keyOf("digits");
      beforeEach(() => objects.put(key, encode("0123456789"), TYPE));

      it.each([
        ["the beginning", 0, 3, "012"],
        ["the middle", 3, 4, "3456"],
        ["the last byte", 9, 1, "9"],
        ["more than there is", 7, 100, "789"],
        ["all of it", 0, 10, "0123456789"],
        ["nothing", 4, 0, ""],
        ["what begins at the end", 10, 5, ""],
        ["what begins behind the end", 50, 5, ""],
      ])("reads %s", async (_what, offset, length, expected) => {
        expect(await textOf(key, offset, length)).toBe(expected);
      });

      it("tells the whole object's size with a range", async () => {
        const found = await objects.get(key, { offset: 2, length: 2 });
        await found?.body.cancel();
        expect(found?.head.sizeBytes).toBe(10);
      });

      it("knows no range of an absent object", async () => {
        expect(await textOf(keyOf("absent"), 0, 1)).toBeNull();
        expect(await textOf(keyOf("absent"), 0, 0)).toBeNull();
      });

      it("lets a reader stop half way", async () => {
        const large = keyOf("large");
        await objects.put(large, new Uint8Array(4 * MIB), TYPE);
        const found = await objects.get(large);
        const reader = found?.body.getReader();
        await reader?.read();
        await reader?.cancel();
        await objects.delete(large);
        expect(await objects.head(large)).toBeNull();
      });
    });

    describe("with keys", () => {
      it("takes every letter a key may have", async () => {
        const key = keyOf(`${"Az09_.-".repeat(8)}/..a/...b/.c/-d/${"x".repeat(200)}`);
        await objects.put(key, encode("here"), TYPE);
        expect(await textOf(key, 0, 9)).toBe("here");
        expect(await allKeys()).toEqual([key]);
      });

      it.each([
        "../escape",
        "a/../../escape",
        "/etc/passwd",
        "a//b",
        "a/./b",
        "",
        "a/",
        "a\0b",
        "a\\..\\b",
        "%2e%2e/a",
        "~uploads/a",
        "a?b=c",
        "a".repeat(513),
      ])("refuses %j, whoever vouched for it", async (hostile) => {
        const key = unchecked(hostile);
        const calls = [
          () => objects.put(key, encode("x"), TYPE),
          () => objects.get(key),
          () => objects.head(key),
          () => objects.delete(key),
          () => objects.createMultipart(key, TYPE),
        ];
        for (const call of calls)
          await expect(call()).rejects.toMatchObject({ name: "StoreError", kind: "denied" });
        expect(await allKeys()).toEqual([]);
      });
    });

    describe("with listings", () => {
      it("lists nothing when nothing is there", async () => {
        expect(await objects.list({})).toEqual({ objects: [], cursor: null });
      });

      it("lists keys in ascending order of their bytes, also across slashes", async () => {
        const keys = ["a", "a-b/1", "a.b", "a0", "aB", "b/a/1", "b/a0", "b/a.c", "b/a-"];
        for (const key of [...keys].reverse())
          await objects.put(keyOf(`r/${key}`), encode(key), TYPE);
        expect(await allKeys()).toEqual(keys.map((key) => `r/${key}`).sort());
      });

      it("lists what begins with a prefix, inside a name too", async () => {
        for (const key of ["m/12/a", "m/12/b", "m/123", "m/2", "n/12/a"])
          await objects.put(keyOf(key), encode(key), TYPE);
        expect(await allKeys("m/12")).toEqual(["m/12/a", "m/12/b", "m/123"]);
        expect(await allKeys("m/12/")).toEqual(["m/12/a", "m/12/b"]);
        expect(await allKeys("m/12/a")).toEqual(["m/12/a"]);
        expect(await allKeys("zz")).toEqual([]);
      });

      it("tells size and time of each object, and the rest where the store lists it", async () => {
        const put = await objects.put(keyOf("one"), encode("12345"), {
          contentType: "text/plain",
          metadata: { a: "b" },
        });
        const [listed] = (await objects.list({})).objects;
        expect(listed).toMatchObject({ key: "one", sizeBytes: 5, tag: put.tag });
        expect(listed).toMatchObject(traits.listsMetadata ? put : {});
      });

      it("pages through more than a thousand objects without gap or repeat", async () => {
        const keys = Array.from(
          { length: 1_203 },
          (_, index) => `many/${index % 7}/${String(index).padStart(5, "0")}`,
        );
        for (let from = 0; from < keys.length; from += 50)
          await Promise.all(
            keys.slice(from, from + 50).map((key) => objects.put(keyOf(key), encode("x"), TYPE)),
          );
        const first = await objects.list({});
        expect(first.objects).toHaveLength(1_000);
        expect(first.cursor).not.toBeNull();
        expect(await allKeys()).toEqual(keys.sort());
      });
    });

    describe("with multipart uploads", () => {
      const key = keyOf("vods/1/2/3.ts");

      async function send(bytes: Uint8Array, partBytes = PART_BYTES, target = key) {
        const handle = await objects.createMultipart(target, TYPE);
        const parts: StoredPart[] = [];
        for (let at = 0; at < bytes.byteLength; at += partBytes)
          parts.push(
            await objects.uploadPart(handle, parts.length + 1, bytes.slice(at, at + partBytes)),
          );
        return { handle, parts };
      }

      it("joins its parts byte for byte", async () => {
        const bytes = pattern(2 * PART_BYTES + 12_345);
        const { handle, parts } = await send(bytes);
        expect(await objects.head(key)).toBeNull();
        const head = await objects.completeMultipart(handle, parts);
        expect(head).toMatchObject({ sizeBytes: bytes.byteLength, contentType: "video/mp2t" });
        expect(await sha256(await bytesOf(key))).toBe(await sha256(bytes));
        expect(await objects.head(key)).toEqual(head);
      });

      it.runIf(traits.partTagsAreDigests)(
        "gives each part the digest of its bytes as the tag",
        async () => {
          const { handle, parts } = await send(encode("hello"));
          expect(parts[0]?.tag).toBe(HELLO_DIGESTS[objects.partTagAlgorithm]);
          const replaced = await objects.uploadPart(handle, 1, encode("other"));
          const again = await objects.uploadPart(handle, 1, encode("hello"));
          expect(replaced.tag).not.toBe(again.tag);
          expect(again).toEqual(parts[0]);
        },
      );

      it.runIf(traits.partTagsAreDigests)(
        "gives the same tag when it is told the digest of the bytes",
        async () => {
          const bytes = pattern(PART_BYTES);
          const shared = new Uint8Array(new SharedArrayBuffer(PART_BYTES));
          shared.set(bytes);
          const handle = await objects.createMultipart(key, TYPE);
          const { tag } = await objects.uploadPart(handle, 1, bytes);
          for (const each of [bytes, shared])
            expect(await objects.uploadPart(handle, 1, each, tag)).toEqual({ partNumber: 1, tag });
          await objects.completeMultipart(handle, [{ partNumber: 1, tag }]);
          expect(await sha256(await bytesOf(key))).toBe(await sha256(bytes));
        },
      );

      it("takes parts in any order and side by side, the short last one first", async () => {
        const bytes = pattern(2 * PART_BYTES + 77);
        const handle = await objects.createMultipart(key, TYPE);
        const last = await objects.uploadPart(handle, 3, bytes.slice(2 * PART_BYTES));
        const [second, first] = await Promise.all([
          objects.uploadPart(handle, 2, bytes.slice(PART_BYTES, 2 * PART_BYTES)),
          objects.uploadPart(handle, 1, bytes.slice(0, PART_BYTES)),
        ]);
        await objects.completeMultipart(handle, [first, second, last]);
        expect(await sha256(await bytesOf(key))).toBe(await sha256(bytes));
      });

      it.runIf(typeof SharedArrayBuffer !== "undefined")(
        "takes bytes that lie in shared memory",
        async () => {
          const bytes = new Uint8Array(new SharedArrayBuffer(PART_BYTES + 9));
          bytes.set(pattern(PART_BYTES + 9));
          const handle = await objects.createMultipart(key, TYPE);
          const parts = [
            await objects.uploadPart(handle, 1, bytes.subarray(0, PART_BYTES)),
            await objects.uploadPart(handle, 2, bytes.subarray(PART_BYTES)),
          ];
          await objects.completeMultipart(handle, parts);
          expect(await sha256(await bytesOf(key))).toBe(await sha256(bytes));
          await objects.put(key, bytes.subarray(3, 9), TYPE);
          expect(await bytesOf(key)).toEqual(new Uint8Array(bytes.subarray(3, 9)));
        },
      );

      it("replaces a part that is sent again", async () => {
        const { handle } = await send(pattern(PART_BYTES));
        const better = pattern(PART_BYTES, 99);
        const part = await objects.uploadPart(handle, 1, better);
        await objects.completeMultipart(handle, [part]);
        expect(await sha256(await bytesOf(key))).toBe(await sha256(better));
      });

      it("refuses the tag of a part that has been replaced, and can still be completed", async () => {
        const { handle, parts } = await send(pattern(PART_BYTES));
        const part = await objects.uploadPart(handle, 1, pattern(PART_BYTES, 7));
        await expect(objects.completeMultipart(handle, parts)).rejects.toMatchObject({
          kind: "bad_part",
        });
        expect(await objects.head(key)).toBeNull();
        expect((await objects.completeMultipart(handle, [part])).sizeBytes).toBe(PART_BYTES);
      });

      it("refuses to complete without parts, or with one that was never sent", async () => {
        const { handle, parts } = await send(pattern(PART_BYTES));
        const unknown = { partNumber: 2, tag: "0".repeat(64) };
        await expect(objects.completeMultipart(handle, [])).rejects.toMatchObject({
          kind: "bad_part",
        });
        await expect(objects.completeMultipart(handle, [...parts, unknown])).rejects.toMatchObject({
          kind: "bad_part",
        });
      });

      it.runIf(traits.refusesUnequalParts)("refuses parts of unequal size", async () => {
        const handle = await objects.createMultipart(key, TYPE);
        const parts = [
          await objects.uploadPart(handle, 1, pattern(PART_BYTES)),
          await objects.uploadPart(handle, 2, pattern(PART_BYTES + 1)),
          await objects.uploadPart(handle, 3, pattern(PART_BYTES)),
        ];
        await expect(objects.completeMultipart(handle, parts)).rejects.toMatchObject({
          name: "StoreError",
        });
        expect(await objects.head(key)).toBeNull();
      });

      it("ends with its completion: a second one finds no such upload", async () => {
        const { handle, parts } = await send(pattern(PART_BYTES));
        await objects.completeMultipart(handle, parts);
        for (const call of [
          () => objects.completeMultipart(handle, parts),
          () => objects.uploadPart(handle, 1, pattern(10)),
        ])
          await expect(call()).rejects.toMatchObject({ kind: "no_such_upload" });
        await objects.abortMultipart(handle);
        expect((await objects.head(key))?.sizeBytes).toBe(PART_BYTES);
      });

      it("is gone once aborted, and can be aborted again", async () => {
        const { handle, parts } = await send(pattern(PART_BYTES));
        await objects.abortMultipart(handle);
        await objects.abortMultipart(handle);
        await expect(objects.completeMultipart(handle, parts)).rejects.toMatchObject({
          kind: "no_such_upload",
        });
        await expect(objects.uploadPart(handle, 2, pattern(10))).rejects.toMatchObject({
          kind: "no_such_upload",
        });
        expect(await allKeys()).toEqual([]);
      });

      it("leaves a present object alone until it completes, then takes its place", async () => {
        await objects.put(key, encode("old"), TYPE);
        const bytes = pattern(PART_BYTES + 5);
        const { handle, parts } = await send(bytes);
        expect(await textOf(key, 0, 9)).toBe("old");
        await objects.completeMultipart(handle, parts);
        expect(await sha256(await bytesOf(key))).toBe(await sha256(bytes));
      });

      it("keeps two uploads of one key apart", async () => {
        const first = await send(pattern(PART_BYTES, 1));
        const second = await send(pattern(PART_BYTES, 2));
        await objects.completeMultipart(second.handle, second.parts);
        await objects.completeMultipart(first.handle, first.parts);
        expect(await sha256(await bytesOf(key))).toBe(await sha256(pattern(PART_BYTES, 1)));
      });

      it("lists unfinished uploads where the store can", async () => {
        const { handle } = await send(pattern(10));
        const finished = await send(pattern(10), PART_BYTES, keyOf("other.ts"));
        await objects.completeMultipart(finished.handle, finished.parts);
        const listed = await objects.listMultiparts();
        expect(
          listed?.map(({ key: each, multipartId }) => ({ key: each, multipartId })) ?? null,
        ).toEqual(traits.listsMultiparts ? [handle] : null);
        for (const { startedAt } of listed ?? [])
          expect(Math.abs(startedAt.getTime() - Date.now())).toBeLessThan(60_000);
      });

      it("never lists parts as objects", async () => {
        await send(pattern(10));
        expect(await allKeys()).toEqual([]);
      });
    });
  });
}

function keyOf(text: string): ObjectKey {
  return objectKeySchema.parse(text);
}

/** A value that the type system takes for a key, as a bug elsewhere would produce it. */
function unchecked(text: string): ObjectKey {
  return z.custom<ObjectKey>().parse(text);
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Bytes that differ from place to place, so that swapped parts show. */
function pattern(length: number, seed = 0): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let index = 0; index < words.length; index++)
    words[index] = Math.imul(index + seed + 1, 2_654_435_761);
  return new Uint8Array(words.buffer, 0, length);
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

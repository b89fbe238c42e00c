import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { ObjectKey } from "#contract/files.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { describeMultiparts } from "./multipart-suite.ts";
import type { ObjectStoreTraits } from "./object-store-traits.ts";
import { allKeys, bytesOf, encode, keyOf, MIB, textOf, TYPE } from "./stored-bytes.ts";

export type ObjectStoreUnderTest = {
  readonly objects: ObjectStore;
  /** Stores an object directly, as another tool would. */
  putByOthers(name: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
};

/** Longer than any key; with a store's prefix below 1,024 bytes, the limit of R2 and S3. */
const LONGEST_NAME =
  `vods/${"n".repeat(200)}/${"n".repeat(200)}/${"n".repeat(200)}/${"n".repeat(200)}/`.padEnd(
    1_000,
    "n",
  );

/** The behaviour that the archive engine and the file browser require of every object store. */
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

    describe("with whole objects", () => {
      it("returns stored bytes with their type and metadata", async () => {
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

      it("stores an empty object", async () => {
        const key = keyOf("empty.json");
        expect((await objects.put(key, new Uint8Array(), TYPE)).sizeBytes).toBe(0);
        expect(await bytesOf(objects, key)).toEqual(new Uint8Array());
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
        expect(await textOf(objects, key, 0, 10)).toBe("two");
      });

      it("returns null for a missing object and for the prefix of a key", async () => {
        await objects.put(keyOf("vods/1/2.ts"), encode("x"), TYPE);
        for (const absent of ["vods/1/3.ts", "vods/1", "vods", "vods/1/2.ts/3"]) {
          expect(await objects.head(keyOf(absent))).toBeNull();
          expect(await objects.get(keyOf(absent))).toBeNull();
        }
      });

      it("deletes exactly one key, and ignores a missing one", async () => {
        await objects.put(keyOf("a/1"), encode("x"), TYPE);
        await objects.put(keyOf("a/12"), encode("y"), TYPE);
        await objects.delete(keyOf("a/1"));
        await objects.delete(keyOf("a/1"));
        await objects.delete(keyOf("never/was"));
        expect(await allKeys(objects)).toEqual(["a/12"]);
        await objects.put(keyOf("a/1"), encode("again"), TYPE);
        expect(await textOf(objects, keyOf("a/1"), 0, 9)).toBe("again");
      });

      it("keeps one complete object after concurrent writes to a key", async () => {
        const key = keyOf("busy");
        await Promise.all(
          Array.from({ length: 12 }, (_, index) =>
            objects.put(key, new Uint8Array(100_000 + index).fill(index), TYPE),
          ),
        );
        const bytes = await bytesOf(objects, key);
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
        ["beyond the end", 7, 100, "789"],
        ["all of it", 0, 10, "0123456789"],
        ["nothing", 4, 0, ""],
        ["from the end", 10, 5, ""],
        ["from beyond the end", 50, 5, ""],
      ])("reads %s", async (_what, offset, length, expected) => {
        expect(await textOf(objects, key, offset, length)).toBe(expected);
      });

      it("returns the whole object's size with a range", async () => {
        const found = await objects.get(key, { offset: 2, length: 2 });
        await found?.body.cancel();
        expect(found?.head.sizeBytes).toBe(10);
      });

      it("returns null for a range of a missing object", async () => {
        expect(await textOf(objects, keyOf("absent"), 0, 1)).toBeNull();
        expect(await textOf(objects, keyOf("absent"), 0, 0)).toBeNull();
      });

      it("lets a reader cancel midway", async () => {
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
      it("accepts every character allowed in a key", async () => {
        const key = keyOf(`${"Az09_.-".repeat(8)}/..a/...b/.c/-d/${"x".repeat(200)}`);
        await objects.put(key, encode("here"), TYPE);
        expect(await textOf(objects, key, 0, 9)).toBe("here");
        expect(await allKeys(objects)).toEqual([key]);
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
        "a".repeat(1_024),
        "a".repeat(1_025),
      ])("rejects %j even if it was cast to a key", async (hostile) => {
        const key = unchecked(hostile);
        const calls = [
          () => objects.put(key, encode("x"), TYPE),
          () => objects.get(key),
          () => objects.head(key),
          () => objects.delete(key),
          () => objects.createMultipart(key, TYPE),
        ];
        for (const call of calls)
          await expect(call()).rejects.toMatchObject({ name: "StoreError", kind: "invalid" });
        expect(await allKeys(objects)).toEqual([]);
      });
    });

    describe("with listings", () => {
      it("lists nothing in an empty store", async () => {
        expect(await objects.list({})).toMatchObject({ objects: [], cursor: null });
      });

      it("lists keys in ascending byte order, also across slashes", async () => {
        const keys = ["a", "a-b/1", "a.b", "a0", "aB", "b/a/1", "b/a0", "b/a.c", "b/a-"];
        for (const key of [...keys].reverse())
          await objects.put(keyOf(`r/${key}`), encode(key), TYPE);
        expect(await allKeys(objects)).toEqual(keys.map((key) => `r/${key}`).sort());
      });

      it.each(["vods/a name.ts", "vods/ä.ts", LONGEST_NAME])(
        "omits objects of other tools under an invalid key: %s",
        async (theirs) => {
          for (const key of ["vods/1", "vods/z"]) await objects.put(keyOf(key), encode(key), TYPE);
          await opened.putByOthers(theirs, encode("theirs"));
          expect(await allKeys(objects, "vods/")).toEqual(["vods/1", "vods/z"]);
        },
      );

      it("lists, reads and deletes objects of other tools under a valid key", async () => {
        const key = keyOf("vods/1/2/theirs.ts");
        await opened.putByOthers(key, encode("theirs"));
        const { objects: listed } = await objects.list({ prefix: "vods/" });
        expect(listed).toMatchObject([{ key, sizeBytes: 6 }]);
        expect(await objects.head(key)).toMatchObject({ key, sizeBytes: 6, tag: listed[0]?.tag });
        expect(await textOf(objects, key, 0, 6)).toBe("theirs");
        await objects.delete(key);
        expect(await allKeys(objects)).toEqual([]);
      });

      it("lists keys by prefix, also within a name", async () => {
        for (const key of ["m/12/a", "m/12/b", "m/123", "m/2", "n/12/a"])
          await objects.put(keyOf(key), encode(key), TYPE);
        expect(await allKeys(objects, "m/12")).toEqual(["m/12/a", "m/12/b", "m/123"]);
        expect(await allKeys(objects, "m/12/")).toEqual(["m/12/a", "m/12/b"]);
        expect(await allKeys(objects, "m/12/a")).toEqual(["m/12/a"]);
        expect(await allKeys(objects, "zz")).toEqual([]);
      });

      it("lists size and tag of each object, and its metadata if the store supports it", async () => {
        const put = await objects.put(keyOf("one"), encode("12345"), {
          contentType: "text/plain",
          metadata: { a: "b" },
        });
        const [listed] = (await objects.list({})).objects;
        expect(listed).toMatchObject({ key: "one", sizeBytes: 5, tag: put.tag });
        expect(listed).toMatchObject(traits.listsMetadata ? put : {});
      });

      it("pages through more than a thousand objects without gaps or duplicates", async () => {
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
        expect(await allKeys(objects)).toEqual(keys.sort());
      });
    });

    describeMultiparts(traits, () => objects);
  });
}

/** A string cast to a key, as a bug elsewhere could produce. */
function unchecked(text: string): ObjectKey {
  return z.custom<ObjectKey>().parse(text);
}

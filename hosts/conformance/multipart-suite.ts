import { beforeEach, describe, expect, it } from "vitest";
import type { ObjectStore, StoredPart } from "#service/ports/object-store.ts";
import type { ObjectStoreTraits } from "./object-store-traits.ts";
import {
  allKeys,
  bytesOf,
  encode,
  keyOf,
  MIB,
  pattern,
  sha256,
  textOf,
  TYPE,
} from "./stored-bytes.ts";

const PART_BYTES = 5 * MIB;

const HELLO_DIGESTS = {
  "sha-256": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
  md5: "5d41402abc4b2a76b9719d911017c592",
  none: null,
};

/** `current` returns the store of the running test. */
export function describeMultiparts(traits: ObjectStoreTraits, current: () => ObjectStore): void {
  describe("with multipart uploads", () => {
    let objects: ObjectStore;
    beforeEach(() => {
      objects = current();
    });
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
      expect(await sha256(await bytesOf(objects, key))).toBe(await sha256(bytes));
      expect(await objects.head(key)).toEqual(head);
    });

    it.runIf(traits.partTagsAreDigests)("tags each part with the digest of its bytes", async () => {
      const { handle, parts } = await send(encode("hello"));
      expect(parts[0]?.tag).toBe(HELLO_DIGESTS[objects.partTagAlgorithm]);
      const replaced = await objects.uploadPart(handle, 1, encode("other"));
      const again = await objects.uploadPart(handle, 1, encode("hello"));
      expect(replaced.tag).not.toBe(again.tag);
      expect(again).toEqual(parts[0]);
    });

    it.runIf(traits.partTagsAreDigests)(
      "returns the same tag when given the digest of the bytes",
      async () => {
        const bytes = pattern(PART_BYTES);
        const shared = new Uint8Array(new SharedArrayBuffer(PART_BYTES));
        shared.set(bytes);
        const handle = await objects.createMultipart(key, TYPE);
        const { tag } = await objects.uploadPart(handle, 1, bytes);
        for (const each of [bytes, shared])
          expect(await objects.uploadPart(handle, 1, each, Promise.resolve(tag))).toEqual({
            partNumber: 1,
            tag,
          });
        await objects.completeMultipart(handle, [{ partNumber: 1, tag }]);
        expect(await sha256(await bytesOf(objects, key))).toBe(await sha256(bytes));
      },
    );

    it("accepts parts in parallel, in any order after the first", async () => {
      const bytes = pattern(2 * PART_BYTES + 77);
      const handle = await objects.createMultipart(key, TYPE);
      const [first, last, second] = await Promise.all([
        objects.uploadPart(handle, 1, bytes.slice(0, PART_BYTES)),
        objects.uploadPart(handle, 3, bytes.slice(2 * PART_BYTES)),
        objects.uploadPart(handle, 2, bytes.slice(PART_BYTES, 2 * PART_BYTES)),
      ]);
      await objects.completeMultipart(handle, [first, second, last]);
      expect(await sha256(await bytesOf(objects, key))).toBe(await sha256(bytes));
    });

    it("accepts the short last part first if the part size was declared", async () => {
      const bytes = pattern(PART_BYTES + 77);
      const options = { ...TYPE, partSizeBytes: PART_BYTES };
      const handle = await objects.createMultipart(key, options);
      const last = await objects.uploadPart(handle, 2, bytes.slice(PART_BYTES));
      const first = await objects.uploadPart(handle, 1, bytes.slice(0, PART_BYTES));
      await objects.completeMultipart(handle, [first, last]);
      expect(await sha256(await bytesOf(objects, key))).toBe(await sha256(bytes));
    });

    it.runIf(typeof SharedArrayBuffer !== "undefined")(
      "accepts bytes in shared memory",
      async () => {
        const bytes = new Uint8Array(new SharedArrayBuffer(PART_BYTES + 9));
        bytes.set(pattern(PART_BYTES + 9));
        const handle = await objects.createMultipart(key, TYPE);
        const parts = [
          await objects.uploadPart(handle, 1, bytes.subarray(0, PART_BYTES)),
          await objects.uploadPart(handle, 2, bytes.subarray(PART_BYTES)),
        ];
        await objects.completeMultipart(handle, parts);
        expect(await sha256(await bytesOf(objects, key))).toBe(await sha256(bytes));
        await objects.put(key, bytes.subarray(3, 9), TYPE);
        expect(await bytesOf(objects, key)).toEqual(new Uint8Array(bytes.subarray(3, 9)));
      },
    );

    it("builds the object only from the listed parts", async () => {
      const bytes = pattern(PART_BYTES + 77);
      const { handle, parts } = await send(pattern(2 * PART_BYTES + 5));
      const last = await objects.uploadPart(handle, 2, bytes.slice(PART_BYTES));
      const head = await objects.completeMultipart(handle, [...parts.slice(0, 1), last]);
      expect(head.sizeBytes).toBe(bytes.byteLength);
      expect(await sha256(await bytesOf(objects, key))).toBe(await sha256(bytes));
    });

    it("replaces a part that is uploaded again", async () => {
      const { handle } = await send(pattern(PART_BYTES));
      const better = pattern(PART_BYTES, 99);
      const part = await objects.uploadPart(handle, 1, better);
      await objects.completeMultipart(handle, [part]);
      expect(await sha256(await bytesOf(objects, key))).toBe(await sha256(better));
    });

    it("rejects the tag of a replaced part, and can still be completed", async () => {
      const { handle, parts } = await send(pattern(PART_BYTES));
      const part = await objects.uploadPart(handle, 1, pattern(PART_BYTES, 7));
      await expect(objects.completeMultipart(handle, parts)).rejects.toMatchObject({
        kind: "bad_part",
      });
      expect(await objects.head(key)).toBeNull();
      expect((await objects.completeMultipart(handle, [part])).sizeBytes).toBe(PART_BYTES);
    });

    it("rejects completion without parts or with a part that was never uploaded", async () => {
      const { handle, parts } = await send(pattern(PART_BYTES));
      const unknown = { partNumber: 2, tag: "0".repeat(64) };
      await expect(objects.completeMultipart(handle, [])).rejects.toMatchObject({
        kind: "bad_part",
      });
      await expect(objects.completeMultipart(handle, [...parts, unknown])).rejects.toMatchObject({
        kind: "bad_part",
      });
    });

    it.runIf(traits.refusesUnequalParts).each([
      ["a last one that is larger", [PART_BYTES, PART_BYTES + 1]],
      ["a smaller one before the last", [PART_BYTES + 1, PART_BYTES, PART_BYTES + 1]],
    ])("rejects parts of unequal size: %s", async (_, sizes) => {
      const handle = await objects.createMultipart(key, TYPE);
      const sendAll = async () => {
        const parts: StoredPart[] = [];
        for (const sizeBytes of sizes)
          parts.push(await objects.uploadPart(handle, parts.length + 1, pattern(sizeBytes)));
        await objects.completeMultipart(handle, parts);
      };
      await expect(sendAll()).rejects.toMatchObject({ name: "StoreError" });
      expect(await objects.head(key)).toBeNull();
    });

    it("no longer exists after its completion", async () => {
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

    it("no longer exists once aborted, and can be aborted again", async () => {
      const { handle, parts } = await send(pattern(PART_BYTES));
      await objects.abortMultipart(handle);
      await objects.abortMultipart(handle);
      await expect(objects.completeMultipart(handle, parts)).rejects.toMatchObject({
        kind: "no_such_upload",
      });
      await expect(objects.uploadPart(handle, 2, pattern(10))).rejects.toMatchObject({
        kind: "no_such_upload",
      });
      expect(await allKeys(objects)).toEqual([]);
    });

    it("keeps an existing object until completion, then replaces it", async () => {
      await objects.put(key, encode("old"), TYPE);
      const bytes = pattern(PART_BYTES + 5);
      const { handle, parts } = await send(bytes);
      expect(await textOf(objects, key, 0, 9)).toBe("old");
      await objects.completeMultipart(handle, parts);
      expect(await sha256(await bytesOf(objects, key))).toBe(await sha256(bytes));
    });

    it("keeps two uploads of the same key separate", async () => {
      const first = await send(pattern(PART_BYTES, 1));
      const second = await send(pattern(PART_BYTES, 2));
      await objects.completeMultipart(second.handle, second.parts);
      await objects.completeMultipart(first.handle, first.parts);
      expect(await sha256(await bytesOf(objects, key))).toBe(await sha256(pattern(PART_BYTES, 1)));
    });

    it("lists unfinished uploads if the store supports it", async () => {
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
      expect(await allKeys(objects)).toEqual([]);
    });
  });
}

import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBufferPool } from "#service/storage/buffer-pool.ts";
import { createDigests, type ThreadedDigests } from "./digests.ts";

/** Around the threshold for using another thread, and far beyond it. */
const SIZES = [0, 1, 65_535, 65_536, 65_537, 1_234_567];

function bytesOf(length: number, isShared: boolean): Uint8Array {
  const pool = createBufferPool(() => length, { isShared });
  const bytes = pool.take(length).subarray(0, length);
  for (let index = 0; index < length; index += 1) bytes[index] = index * 7;
  return bytes;
}

describe("digests", () => {
  let digests: ThreadedDigests;
  beforeAll(() => {
    digests = createDigests();
  });
  afterAll(() => digests.close());

  it.each(SIZES.flatMap((size) => [[size, false] as const, [size, true] as const]))(
    "are correct for %i bytes (shared: %s)",
    async (size, isShared) => {
      const bytes = bytesOf(size, isShared);
      const expected = (algorithm: string) => hash(algorithm, bytes);
      expect(await digests.sha256(bytes)).toBe(expected("sha256"));
      expect(await digests.md5(bytes)).toBe(expected("md5"));
      expect(bytes).toEqual(bytesOf(size, isShared));
    },
  );

  it("are correct after the thread has rested, also while it works", async () => {
    const bytes = bytesOf(1_234_567, true);
    const working = digests.sha256(bytes);
    digests.rest();
    expect(await working).toBe(hash("sha256", bytes));
    digests.rest();
    expect(await digests.sha256(bytes)).toBe(hash("sha256", bytes));
  });

  it("are correct for many concurrent buffers", async () => {
    const buffers = Array.from({ length: 40 }, (_, index) => bytesOf(70_000 + index, false));
    expect(await Promise.all(buffers.map((bytes) => digests.sha256(bytes)))).toEqual(
      buffers.map((bytes) => hash("sha256", bytes)),
    );
  });
});

import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBufferPool } from "#service/storage/buffer-pool.ts";
import { createByteWorker, type ByteWorker } from "./byte-worker.ts";
import { createDigests } from "./digests.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

/** Around the threshold for using another thread, and far beyond it. */
const SIZES = [0, 1, 65_535, 65_536, 65_537, 1_234_567];

function bytesOf(length: number, isShared: boolean): Uint8Array {
  const pool = createBufferPool(() => length, { isShared });
  const bytes = pool.take(length).subarray(0, length);
  for (let index = 0; index < length; index += 1) bytes[index] = index * 7;
  return bytes;
}

describe("digests", () => {
  let byteWorker: ByteWorker;
  beforeAll(() => {
    byteWorker = createByteWorker();
  });
  afterAll(() => byteWorker.close());

  it.each(SIZES.flatMap((size) => [[size, false] as const, [size, true] as const]))(
    "are correct for %i bytes (shared: %s)",
    async (size, isShared) => {
      const bytes = bytesOf(size, isShared);
      const digests = createDigests(byteWorker);
      const expected = (algorithm: string) => createHash(algorithm).update(bytes).digest("hex");
      expect(await digests.sha256(bytes)).toBe(expected("sha256"));
      expect(await digests.md5(bytes)).toBe(expected("md5"));
      expect(bytes).toEqual(bytesOf(size, isShared));
    },
  );

  it("are correct for many concurrent buffers", async () => {
    const digests = createDigests(byteWorker);
    const buffers = Array.from({ length: 40 }, (_, index) => bytesOf(70_000 + index, false));
    expect(await Promise.all(buffers.map((bytes) => digests.sha256(bytes)))).toEqual(
      buffers.map((bytes) => createHash("sha256").update(bytes).digest("hex")),
    );
  });

  it.each([true, false])(
    "are those of the written bytes, or the known one if the file is unchanged (shared: %s)",
    async (isShared) => {
      const folder = await makeTemporaryFolder();
      const path = join(folder.path, "file");
      const bytes = bytesOf(1_500_000, isShared);
      const held = createHash("sha256").update(bytes).digest("hex");
      const fd = openSync(path, "w+");
      expect(await byteWorker.write(fd, 5, bytes.subarray(3), null)).not.toBe(held);
      expect(await byteWorker.write(fd, 1_000, bytes, null)).toBe(held);
      expect(await byteWorker.write(fd, 1_000, bytes, "known")).toBe("known");
      expect(readFileSync(path).subarray(1_000)).toEqual(Buffer.from(bytes));
      closeSync(fd);
      await folder.remove();
    },
  );

  it.each([
    [4_096, 2 * 1024 * 1024, true],
    [4_096, 5_000_001, true],
    [4_096, 5_000_001, false],
    [8_192, 4 * 1024 * 1024 + 4_095, true],
    [4_097, 3_000_000, true],
  ])(
    "are correct at offset %i for %i uncached bytes, which leave all others unchanged (shared: %s)",
    async (at, size, isShared) => {
      const folder = await makeTemporaryFolder();
      const path = join(folder.path, "file");
      const bytes = bytesOf(size, isShared);
      const around = Buffer.alloc(at + size + 10_000, 1);
      writeFileSync(path, around);
      const fd = openSync(path, "r+");
      const digest = await byteWorker.write(fd, at, bytes, null);
      expect(digest).toBe(createHash("sha256").update(bytes).digest("hex"));
      around.set(bytes, at);
      expect(readFileSync(path).equals(around)).toBe(true);
      closeSync(fd);
      await folder.remove();
    },
  );

  it("are rejected with the system's error code if a write fails", async () => {
    const folder = await makeTemporaryFolder();
    const path = join(folder.path, "file");
    writeFileSync(path, "");
    const fd = openSync(path, "r");
    await expect(byteWorker.write(fd, 0, bytesOf(10, false), null)).rejects.toMatchObject({
      code: "EBADF",
    });
    closeSync(fd);
    await folder.remove();
  });
});

import { type FileHandle, open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBufferPool } from "#service/storage/buffer-pool.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";
import { writeBytes } from "./write-bytes.ts";

function bytesOf(length: number, isShared: boolean): Uint8Array {
  const pool = createBufferPool(() => length, { isShared });
  return pool
    .take(length)
    .subarray(0, length)
    .map((_, index) => index * 7);
}

async function openFile(flags: string, content: Uint8Array): Promise<[FileHandle, string]> {
  const folder = await makeTemporaryFolder();
  const path = join(folder.path, "file");
  await writeFile(path, content);
  const file = await open(path, flags);
  onTestFinished(async () => {
    await file.close();
    await folder.remove();
  });
  return [file, path];
}

describe("written bytes", () => {
  it.each([
    [5, 1_500_000, true],
    [4_096, 2 * 1024 * 1024, true],
    [4_096, 5_000_001, true],
    [4_096, 5_000_001, false],
    [8_192, 4 * 1024 * 1024 + 4_095, true],
    [4_097, 3_000_000, true],
  ])(
    "at offset %i are in the file, all %i, and leave the others unchanged (shared: %s)",
    async (offset, sizeBytes, isShared) => {
      const around = Buffer.alloc(offset + sizeBytes + 10_000, 1);
      const [file, path] = await openFile("r+", around);
      const bytes = bytesOf(sizeBytes, isShared);
      await writeBytes(file, offset, bytes);
      around.set(bytes, offset);
      expect((await readFile(path)).equals(around)).toBe(true);
    },
  );

  it("of concurrent writes do not mix", async () => {
    const [file, path] = await openFile("r+", new Uint8Array());
    const sizeBytes = 4 * 1024 * 1024;
    const written = Array.from({ length: 6 }, (_, index) => Buffer.alloc(sizeBytes, index + 1));
    await Promise.all(written.map((bytes, index) => writeBytes(file, index * sizeBytes, bytes)));
    expect((await readFile(path)).equals(Buffer.concat(written))).toBe(true);
  });

  it.each([10, 3_000_000])("fail with the system's error code (%i)", async (sizeBytes) => {
    const [file] = await openFile("r", new Uint8Array());
    await expect(writeBytes(file, 0, bytesOf(sizeBytes, false))).rejects.toMatchObject({
      code: "EBADF",
    });
  });
});

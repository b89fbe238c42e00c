import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import type { DigestAlgorithm, FileRange } from "./digest-threads.ts";

/**
 * Reads the range from the file itself, a buffer full at a time, and blocks meanwhile.
 * @throws {Error} when the file is shorter.
 */
export function digestOfFile(algorithm: DigestAlgorithm, range: FileRange, buffer: Buffer): string {
  const digest = createHash(algorithm);
  for (const bytes of readRange(range, buffer)) digest.update(bytes);
  return digest.digest("hex");
}

/**
 * Whether the range of the file holds exactly `expected`. Reads and blocks likewise.
 * @throws {Error} when the file is shorter.
 */
export function fileHolds(range: FileRange, expected: Uint8Array, buffer: Buffer): boolean {
  if (expected.byteLength !== range.length) return false;
  let done = 0;
  for (const bytes of readRange(range, buffer)) {
    if (bytes.compare(expected, done, done + bytes.byteLength) !== 0) return false;
    done += bytes.byteLength;
  }
  return true;
}

/** The range piece by piece, each only valid until the next. */
function* readRange({ fd, offset, length }: FileRange, buffer: Buffer): Generator<Buffer> {
  const end = offset + length;
  for (let position = offset; position < end;) {
    const wanted = Math.min(buffer.byteLength, end - position);
    const count = readSync(fd, buffer, 0, wanted, position);
    if (count === 0) throw new Error(`The file ends at ${position}, ${end - position} bytes early`);
    yield buffer.subarray(0, count);
    position += count;
  }
}

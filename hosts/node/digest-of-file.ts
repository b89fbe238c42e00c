import { createHash } from "node:crypto";
import { readSync } from "node:fs";

export type DigestAlgorithm = "sha256" | "md5";

export type FileRange = { readonly fd: number; readonly offset: number; readonly length: number };

/**
 * Reads the range from the file one buffer at a time. Blocks meanwhile.
 * @throws {Error} when the file is shorter.
 */
export function digestOfFile(
  algorithm: DigestAlgorithm,
  { fd, offset, length }: FileRange,
  buffer: Buffer,
): string {
  const digest = createHash(algorithm);
  const end = offset + length;
  for (let position = offset; position < end;) {
    const wanted = Math.min(buffer.byteLength, end - position);
    const count = readSync(fd, buffer, 0, wanted, position);
    if (count === 0) throw new Error(`The file ends at ${position}, ${end - position} bytes early`);
    digest.update(buffer.subarray(0, count));
    position += count;
  }
  return digest.digest("hex");
}

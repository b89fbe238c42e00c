import { readSync, writeSync } from "node:fs";
import { digestOfFile } from "./digest-of-file.ts";

/** `digest` is the SHA-256 of `content` where it is known already. */
export type FileWrite = {
  readonly fd: number;
  readonly offset: number;
  readonly content: Uint8Array;
  readonly digest: string | null;
};

/**
 * Written and read back at a time. Small enough for the processor's cache to hold the piece, its
 * copy in the file cache and what comes back from there, and for the system to build its file cache
 * from small pages: large writes take huge ones, which cost up to ten times as much in a virtual
 * machine whose host takes unused memory back (measured: decision record 0019).
 */
const PIECE_BYTES = 64 * 1024;

/**
 * Writes the content and answers with the SHA-256 of what the file then holds: that is `digest`
 * when the same bytes came back. Blocks meanwhile; `buffer` is what is read into.
 */
export function writeAndReadBack(
  { fd, offset, content, digest }: FileWrite,
  buffer: Buffer,
): string {
  let isEqual = true;
  for (let done = 0; done < content.byteLength; done += PIECE_BYTES) {
    const piece = content.subarray(done, done + PIECE_BYTES);
    writeFullySync(fd, piece, offset + done);
    isEqual &&= fileHolds(fd, piece, offset + done, buffer);
  }
  if (isEqual && digest !== null) return digest;
  return digestOfFile("sha256", { fd, offset, length: content.byteLength }, buffer);
}

/** One system call may take fewer bytes than it was given. */
function writeFullySync(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.byteLength;)
    done += writeSync(fd, bytes, done, bytes.byteLength - done, position + done);
}

function fileHolds(fd: number, bytes: Uint8Array, position: number, buffer: Buffer): boolean {
  for (let done = 0; done < bytes.byteLength;) {
    const wanted = Math.min(buffer.byteLength, bytes.byteLength - done);
    const count = readSync(fd, buffer, 0, wanted, position + done);
    if (count === 0 || buffer.compare(bytes, done, done + count, 0, count) !== 0) return false;
    done += count;
  }
  return true;
}

import { closeSync, constants, openSync, writeSync } from "node:fs";
import { fileErrorCode } from "./file-error.ts";
import { hashBytes } from "./hash-bytes.ts";

/** `digest` is the SHA-256 of `content`, if known. */
export type FileWrite = {
  readonly fd: number;
  readonly offset: number;
  readonly content: Uint8Array;
  readonly digest: string | null;
};

/** Direct writes need addresses, offsets and lengths aligned to the disk's blocks, which are at most this large. */
const BLOCK_BYTES = 4096;

/** Each piece waits for the disk; a larger one would not stay in the CPU cache. */
const PIECE_BYTES = 2 * 1024 * 1024;

/**
 * Makes the kernel use small pages for its file cache. Large writes use huge pages, which cost up
 * to ten times as much in a virtual machine whose host reclaims unused memory.
 */
const CACHED_PIECE_BYTES = 64 * 1024;

// Unlike other buffers, this memory begins at a page.
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
};
const WEB_ASSEMBLY_PAGE_BYTES = 64 * 1024;
let aligned: Uint8Array | null = null;

/**
 * Writes the content and returns its SHA-256. Blocks meanwhile; does not sync.
 *
 * Large contents bypass the kernel's file cache if the file system permits it: a VOD is not read
 * again soon, and new pages of the cache are expensive (decision record 0019).
 */
export function writeBytes(write: FileWrite): string {
  const { fd, offset, content, digest } = write;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (let done = writeDirect(write, bytes); done < bytes.byteLength;) {
    const count = Math.min(CACHED_PIECE_BYTES, bytes.byteLength - done);
    // One system call may write fewer bytes than requested.
    done += writeSync(fd, bytes, done, count, offset + done);
  }
  return digest ?? hashBytes("sha256", content);
}

/** Returns how many of the first bytes it wrote: 0 if they cannot be written directly. */
function writeDirect({ fd, offset }: FileWrite, bytes: Buffer): number {
  const isEligible = bytes.byteLength >= PIECE_BYTES && offset % BLOCK_BYTES === 0;
  const direct = isEligible ? openDirect(fd) : null;
  if (direct === null) return 0;
  let done = 0;
  try {
    while (bytes.byteLength - done >= BLOCK_BYTES) {
      const left = bytes.byteLength - done;
      const count = Math.min(PIECE_BYTES, left - (left % BLOCK_BYTES));
      done += writeSync(direct, alignedPiece(bytes, done, count), 0, count, offset + done);
    }
  } catch (error) {
    // The file system refuses direct writes, or a short write left an unaligned offset.
    if (fileErrorCode(error) !== "EINVAL") throw error;
  } finally {
    closeSync(direct);
  }
  return done;
}

/** Shared memory, in which archives fill their parts, already begins at a page (buffer-pool.ts). */
function alignedPiece(bytes: Buffer, start: number, count: number): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes.subarray(start, start + count);
  aligned ??= new Uint8Array(
    new WebAssembly.Memory({ initial: PIECE_BYTES / WEB_ASSEMBLY_PAGE_BYTES }).buffer,
  );
  bytes.copy(aligned, 0, start, start + count);
  return aligned;
}

/** Opens the same file once more; null where that is not possible, e.g. on macOS. */
function openDirect(fd: number): number | null {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_DIRECT);
  } catch {
    return null;
  }
}

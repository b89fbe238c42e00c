import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createBufferPool } from "#service/storage/buffer-pool.ts";
import { fileErrorCode } from "./file-error.ts";

/** Direct writes need addresses, offsets and lengths aligned to the disk's blocks, which are at most this large. */
const BLOCK_BYTES = 4096;

/** Smaller contents gain nothing from direct writes. */
const PIECE_BYTES = 2 * 1024 * 1024;

/**
 * Makes the kernel use small pages for its file cache. Large writes use huge pages, which cost up
 * to ten times as much in a virtual machine whose host reclaims unused memory.
 */
const CACHED_PIECE_BYTES = 64 * 1024;

/** Shared memory begins at a page (buffer-pool.ts). */
const aligned = createBufferPool(() => PIECE_BYTES, { isShared: true });

/**
 * Writes all bytes at `offset`; does not sync. Meanwhile they must not change.
 *
 * Large contents bypass the kernel's file cache if the file system permits it: a VOD is not read
 * again soon, and new pages of the cache are expensive (decision record 0019).
 */
export async function writeBytes(
  file: FileHandle,
  offset: number,
  bytes: Uint8Array,
): Promise<void> {
  for (let done = await writeDirect(file, offset, bytes); done < bytes.byteLength;) {
    const length = Math.min(CACHED_PIECE_BYTES, bytes.byteLength - done);
    // One system call may write fewer bytes than requested.
    done += (await file.write(bytes, done, length, offset + done)).bytesWritten;
  }
}

/** Returns how many of the first bytes it wrote: 0 if they cannot be written directly. */
async function writeDirect(file: FileHandle, offset: number, bytes: Uint8Array): Promise<number> {
  const isEligible = bytes.byteLength >= PIECE_BYTES && offset % BLOCK_BYTES === 0;
  const direct = isEligible ? await openDirect(file.fd) : null;
  if (direct === null) return 0;
  let done = 0;
  try {
    while (bytes.byteLength - done >= BLOCK_BYTES) {
      const left = bytes.byteLength - done;
      const count = Math.min(PIECE_BYTES, left - (left % BLOCK_BYTES));
      done += await writePiece(direct, offset + done, bytes.subarray(done, done + count));
    }
  } catch (error) {
    // The file system refuses direct writes, or a short write left an unaligned offset.
    if (fileErrorCode(error) !== "EINVAL") throw error;
  } finally {
    await direct.close();
  }
  return done;
}

/** Archives fill their parts in shared memory, which is written in place. */
async function writePiece(direct: FileHandle, offset: number, piece: Uint8Array): Promise<number> {
  if (piece.buffer instanceof SharedArrayBuffer)
    return (await direct.write(piece, 0, piece.byteLength, offset)).bytesWritten;
  const copy = aligned.take(PIECE_BYTES);
  try {
    copy.set(piece);
    return (await direct.write(copy, 0, piece.byteLength, offset)).bytesWritten;
  } finally {
    aligned.give(copy);
  }
}

/** Opens the same file once more; null where that is not possible, e.g. on macOS. */
async function openDirect(fd: number): Promise<FileHandle | null> {
  try {
    return await open(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_DIRECT);
  } catch {
    return null;
  }
}

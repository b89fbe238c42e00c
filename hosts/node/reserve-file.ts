import { randomFillSync } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";

/**
 * A file that reserves disk space for the database: when the disk is full, ending a session, a
 * right or a file still needs a few pages. The caller refills it after use, so that nothing else
 * takes the rest.
 */
export type ReserveFile = {
  /** Frees one step of the reserve. False when nothing is left. */
  shrink(): boolean;
  /** Refills as much as the disk allows. Never throws. */
  refill(): void;
  close(): void;
};

/** About a hundred cancelled uploads or deleted files, at a few dozen pages each. */
const RESERVE_BYTES = 16 * 1024 * 1024;

/** More than most of these transactions write. */
const STEP_BYTES = 1024 * 1024;

/** On a nearly full disk, a larger write may fail completely although part of it would fit. */
const PIECE_BYTES = 4096;

/** Opens or creates the file; on a full disk it may be short or empty. */
export function openReserveFile(path: string): ReserveFile {
  const file = openSync(path, "a+", 0o600);
  return {
    shrink() {
      const sizeBytes = fstatSync(file).size;
      if (sizeBytes === 0) return false;
      ftruncateSync(file, Math.max(0, sizeBytes - STEP_BYTES));
      // Journalling file systems reuse freed blocks only once the change is on disk.
      fsyncSync(file);
      return true;
    },
    refill() {
      // Not zeros, which some file systems store sparsely.
      const piece = randomFillSync(Buffer.allocUnsafe(PIECE_BYTES));
      try {
        let missing = RESERVE_BYTES - fstatSync(file).size;
        while (missing > 0) missing -= writeSync(file, piece, 0, Math.min(missing, PIECE_BYTES));
      } catch {
        // The disk is full: what was written is kept, and the next call continues.
      }
    },
    close: () => closeSync(file),
  };
}

import { randomFillSync } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";

/**
 * A file that only takes up space, for the database to have when the disk is full: what ends a
 * session, a right or a file needs a few pages then. Whoever has shrunk it refills it afterwards,
 * so that nobody else gets at what is left of it.
 */
export type ReserveFile = {
  /** Gives a step back to the file system. False when nothing is left. */
  shrink(): boolean;
  /** Takes as much of what is missing as the disk has. Never throws. */
  refill(): void;
  close(): void;
};

/** Some hundred cancelled uploads or deleted files, at a few dozen pages each. */
const RESERVE_BYTES = 16 * 1024 * 1024;

/** More than most of these transactions write. */
const STEP_BYTES = 1024 * 1024;

/** A larger write may be refused as a whole where only some of it has room. */
const PIECE_BYTES = 4096;

/** Opens the file as it is: on a disk that is full already it may be short, or new and empty. */
export function openReserveFile(path: string): ReserveFile {
  const file = openSync(path, "a+", 0o600);
  return {
    shrink() {
      const sizeBytes = fstatSync(file).size;
      if (sizeBytes === 0) return false;
      ftruncateSync(file, Math.max(0, sizeBytes - STEP_BYTES));
      // Journalling file systems hand freed blocks out once that is on the disk.
      fsyncSync(file);
      return true;
    },
    refill() {
      // Not zeros, which some file systems do not store.
      const piece = randomFillSync(Buffer.allocUnsafe(PIECE_BYTES));
      try {
        let missing = RESERVE_BYTES - fstatSync(file).size;
        while (missing > 0) missing -= writeSync(file, piece, 0, Math.min(missing, PIECE_BYTES));
      } catch {
        // The disk is full: what was written stays, and the next call goes on.
      }
    },
    close: () => closeSync(file),
  };
}

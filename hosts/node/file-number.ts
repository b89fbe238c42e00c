import { statSync } from "node:fs";

/** Messages of the checkpoint thread about the database file. */
export const FILE_IS_THERE = "file is there";
export const FILE_IS_GONE = "file is gone";

/** Distinguishes files of the same name (the inode number); null when the file cannot be read. */
export function fileNumber(path: string): bigint | null {
  try {
    return statSync(path, { bigint: true }).ino;
  } catch {
    return null;
  }
}

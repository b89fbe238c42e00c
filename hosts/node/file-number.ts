import { statSync } from "node:fs";

/** What the thread that watches the database says of its file. */
export const FILE_IS_THERE = "file is there";
export const FILE_IS_GONE = "file is gone";

/** Tells a file from another one of the same name; null when there is none that can be seen. */
export function fileNumber(path: string): bigint | null {
  try {
    return statSync(path, { bigint: true }).ino;
  } catch {
    return null;
  }
}

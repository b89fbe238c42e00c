import { statSync } from "node:fs";

/** Tells a file from another one of the same name; null when there is none that can be seen. */
export function fileNumber(path: string): bigint | null {
  try {
    return statSync(path, { bigint: true }).ino;
  } catch {
    return null;
  }
}

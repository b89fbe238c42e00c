import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { ignoreFixedTimes } from "./file-error.ts";

/** Pages opened before an upgrade still load scripts of their own build for this long. */
const KEPT_MS = 24 * 3_600_000;

/** Modification time of a file that the current build has. */
const IN_USE = 0;

/**
 * Copies the assets of a build to the folder `kept`, and deletes those of earlier builds that left
 * it a day ago. Names contain a hash of the content, so builds share a folder.
 */
export function keepAssets(
  built: string,
  kept: string,
  nowMs: number,
  isNeeded: (name: string) => boolean = () => true,
): void {
  const current = new Set(readdirSync(built).filter(isNeeded));
  mkdirSync(kept, { recursive: true });
  for (const name of readdirSync(kept)) {
    if (current.has(name)) continue;
    const path = join(kept, name);
    const leftAtMs = statSync(path).mtimeMs;
    if (leftAtMs === IN_USE) setModifiedAt(path, nowMs);
    else if (nowMs - leftAtMs > KEPT_MS) rmSync(path);
  }
  for (const name of current) {
    const path = join(kept, name);
    // A copy has the mode of its source, which may be read-only: it cannot be overwritten.
    rmSync(path, { force: true });
    copyFileSync(join(built, name), path);
    setModifiedAt(path, IN_USE);
  }
}

function setModifiedAt(path: string, atMs: number): void {
  try {
    utimesSync(path, atMs / 1_000, atMs / 1_000);
  } catch (error) {
    ignoreFixedTimes(error);
  }
}

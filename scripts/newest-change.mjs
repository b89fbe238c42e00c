import { readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * When something of a file or folder changed last. A folder's own time tells of deleted files.
 * Hidden folders are left out: wrangler keeps its temporary files in one beside its sources, so that
 * each of its builds would look older than what it was made of.
 * @param {string} path
 */
export function newestChangeMs(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (entry) =>
        !relative(path, entry)
          .split(sep)
          .some((name) => name.startsWith(".")),
    );
  return Math.max(0, ...entries.map((entry) => statSync(entry).mtimeMs));
}

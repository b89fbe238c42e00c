import { readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * Returns when a file, or anything in a folder, was last changed. A folder's own time covers
 * deleted files. Hidden folders are skipped: wrangler keeps temporary files in one beside its
 * sources, so that its builds would always look outdated.
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

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_NODE, ROOT, capture, exists, fail } from "./tools.mjs";

/** What the build is made of. */
const SOURCES = ["console", "contract", "vite.config.ts", "package-lock.json"];

/** Builds the console unless the build is newer than everything it is made of. */
export async function ensureConsoleBuilt() {
  const built = "dist/console/index.html";
  if (exists(built) && statSync(ROOT + built).mtimeMs >= newestMs(SOURCES)) return;
  console.log("Building the console …");
  const vite = "node_modules/vite/bin/vite.js";
  const { code, output } = await capture(PROJECT_NODE, [vite, "build", "--logLevel", "warn"]);
  if (code !== 0) fail(`${output}\nThe console could not be built: see above.`);
}

/** @param {readonly string[]} paths */
function newestMs(paths) {
  return Math.max(
    ...paths.filter(exists).flatMap((path) => {
      const stats = statSync(ROOT + path);
      if (!stats.isDirectory()) return [stats.mtimeMs];
      const entries = readdirSync(ROOT + path, { recursive: true, withFileTypes: true });
      // A folder's own time tells of deleted files.
      return entries.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs);
    }),
  );
}

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { readCommit } from "./commit.mjs";
import { ensureInstalled } from "./install.mjs";
import { newestChangeMs } from "./newest-change.mjs";
import { prepareFolder, replaceFolder } from "./replace-folder.mjs";
import { PROJECT_NODE, ROOT, capture, exists, fail } from "./tools.mjs";

/**
 * `args` write into a folder given as the last one. A change of `variable` in the environment
 * requires a new build, like one of the sources.
 * @typedef {{
 *   what: string, folder: string, result: string, sources: readonly string[], variable?: string,
 *   args: readonly string[],
 * }} Build
 */

/** @type {Build} */
export const CONSOLE = {
  what: "the console",
  folder: "dist/console",
  result: "index.html",
  variable: "VITE_API_URL",
  sources: [
    "console",
    "contract",
    "vite.config.ts",
    "scripts/console-budget.ts",
    "scripts/console-scripts.ts",
    "scripts/first-calls.ts",
    "scripts/route-scripts.ts",
    "scripts/screen-paths.ts",
    "package-lock.json",
  ],
  args: ["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn", "--outDir"],
};

/**
 * The program also runs from its sources; bundled it starts in half the time and with two thirds of
 * the memory (decision record 0001).
 *
 * @type {Build}
 */
export const PROGRAM = {
  what: "the program",
  folder: "dist/program",
  result: "main.js",
  sources: [
    "program",
    "hosts/node",
    "hosts/ports",
    "service",
    "contract",
    "stand-ins",
    "package-lock.json",
  ],
  args: ["scripts/bundle-program.mjs"],
};

/**
 * Bundled by wrangler as for a deployment, as a dry run.
 *
 * @type {Build}
 */
const WORKER = {
  what: "the Worker",
  folder: "dist/cloudflare/worker",
  result: "main.js",
  sources: ["hosts/cloudflare", "hosts/ports", "service", "contract", "package-lock.json"],
  args: [
    "node_modules/wrangler/bin/wrangler.js",
    "deploy",
    "--config=hosts/cloudflare/wrangler.jsonc",
    "--dry-run",
    `--define=BUILD_COMMIT:${JSON.stringify(readCommit())}`,
    "--outdir",
  ],
};

export async function ensureWorkerBuilt() {
  // wrangler expects the folder of static files, which is filled by a start or a deployment.
  mkdirSync(`${ROOT}dist/cloudflare/console`, { recursive: true });
  await ensureBuilt(WORKER);
}

export async function ensureConsoleBuilt() {
  await ensureBuilt(CONSOLE);
}

/** A release must not contain what was built at an earlier commit, whose name is in the build. */
export async function ensureAllBuilt({ isRelease = false } = {}) {
  await Promise.all([ensureBuilt(CONSOLE, isRelease), ensureBuilt(PROGRAM, isRelease)]);
}

/**
 * Builds, unless the result is newer than all of its sources. An earlier build remains until the new
 * one is complete.
 * @param {Build} build
 * @param {boolean} isRelease
 */
async function ensureBuilt({ what, folder, result, sources, variable, args }, isRelease = false) {
  const value = process.env[variable ?? ""] ?? "";
  const stamp = `${ROOT}${folder}.built-with`;
  const [builtWith = "", builtAt] = existsSync(stamp)
    ? readFileSync(stamp, "utf8").split("\n")
    : [];
  const commit = String(readCommit());
  const changesMs = sources.filter(exists).map((source) => newestChangeMs(ROOT + source));
  const built = `${folder}/${result}`;
  const isNewer = exists(built) && statSync(ROOT + built).mtimeMs >= Math.max(...changesMs);
  if (isNewer && builtWith === value && !(isRelease && builtAt !== commit)) return;
  console.log(`Building ${what} …`);
  const fresh = prepareFolder(folder);
  const { code, output } = await capture(PROJECT_NODE, [...args, fresh], {
    // Otherwise a test that builds would bundle React's test version.
    NODE_ENV: "production",
    WRANGLER_SEND_METRICS: "false",
  });
  if (code !== 0 || !existsSync(`${fresh}/${result}`))
    fail(`${output}\nBuilding ${what} failed: see above.`);
  replaceFolder(fresh, folder);
  writeFileSync(stamp, `${value}\n${commit}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // npm run build, or the parts named.
  await ensureInstalled();
  const parts = process.argv.slice(2);
  if (parts.length === 0) await ensureAllBuilt();
  if (parts.includes("console")) await ensureConsoleBuilt();
  if (parts.includes("worker")) await ensureWorkerBuilt();
}

import { mkdirSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { ensureInstalled } from "./install.mjs";
import { newestChangeMs } from "./newest-change.mjs";
import { PROJECT_NODE, ROOT, capture, exists, fail } from "./tools.mjs";

/** @typedef {{ what: string, result: string, sources: readonly string[], args: readonly string[] }} Build */

/** @type {Build} */
const CONSOLE = {
  what: "the console",
  result: "dist/console/index.html",
  sources: [
    "console",
    "contract",
    "vite.config.ts",
    "scripts/console-budget.ts",
    "scripts/route-scripts.ts",
    "scripts/screen-paths.ts",
    "package-lock.json",
  ],
  args: ["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"],
};

/**
 * The server also runs from its sources; bundled it starts in half the time and with two thirds of
 * the memory (decision record 0001).
 *
 * @type {Build}
 */
const SERVER = {
  what: "the server",
  result: "dist/server/main.js",
  sources: ["hosts/node", "hosts/ports", "service", "contract", "package-lock.json"],
  args: ["scripts/bundle-server.mjs"],
};

/**
 * Bundled by wrangler as for a deployment, as a dry run.
 *
 * @type {Build}
 */
const WORKER = {
  what: "the Worker",
  result: "dist/cloudflare/worker/main.js",
  sources: ["hosts/cloudflare", "hosts/ports", "service", "contract", "package-lock.json"],
  args: [
    "node_modules/wrangler/bin/wrangler.js",
    "deploy",
    "--config=hosts/cloudflare/wrangler.jsonc",
    "--dry-run",
    `--outdir=${ROOT}dist/cloudflare/worker`,
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

export async function ensureAllBuilt() {
  await Promise.all([ensureBuilt(CONSOLE), ensureBuilt(SERVER)]);
}

/**
 * Builds, unless the result is newer than all of its sources.
 * @param {Build} build
 */
async function ensureBuilt({ what, result, sources, args }) {
  const changesMs = sources.filter(exists).map((source) => newestChangeMs(ROOT + source));
  if (exists(result) && statSync(ROOT + result).mtimeMs >= Math.max(...changesMs)) return;
  console.log(`Building ${what} …`);
  const { code, output } = await capture(PROJECT_NODE, args, {
    // Otherwise a test that builds would bundle React's test version.
    NODE_ENV: "production",
    WRANGLER_SEND_METRICS: "false",
  });
  if (code !== 0) fail(`${output}\nBuilding ${what} failed: see above.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await ensureInstalled();
  await ensureAllBuilt();
}

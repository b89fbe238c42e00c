import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { ensureBrowser } from "./browser.mjs";
import { ensureInstalled } from "./install.mjs";
import { runQueue } from "./queue.mjs";
import { components, simulation, STATIC_CHECKS, vitest, workerd } from "./steps.mjs";
import { ROOT } from "./tools.mjs";

// npm run check: all static checks, the tests beside the files that changed since the last commit
// but one, and those that see every part. Takes a minute and a half; `npm test` runs the rest.

/** Tables of all calls, writes under a lease and imports, and of what calls and idle work ask of D1. */
const SEE_EVERYTHING = [
  "service/http/access-matrix.test.ts",
  "lost-lease.test.ts",
  "scripts/import-cycles.test.ts",
  "service/schedule.test.ts",
  "bench/workerd/d1-ledger.test.ts",
];

await ensureInstalled();
const beside = [...new Set(changedFiles().flatMap(testsBeside))];
const inBrowser = beside.filter((path) => path.endsWith(".browser.test.tsx"));
const inWorkerd = beside.filter((path) => path.startsWith("hosts/cloudflare/"));
process.exitCode = await runQueue([
  vitest("tests", ["--project=units", ...beside, ...SEE_EVERYTHING]),
  ...STATIC_CHECKS,
  ...(inWorkerd.length > 0 ? [workerd("tests in Cloudflare's runtime", inWorkerd)] : []),
  ...(inBrowser.length > 0 ? [components("components", inBrowser, ensureBrowser())] : []),
  simulation(1, 30),
]);

/** Of the last commit and since, as far as git knows them. */
function changedFiles() {
  try {
    return [
      ...git("diff", "--name-only", "HEAD~1"),
      ...git("ls-files", "--others", "--exclude-standard"),
    ];
  } catch {
    return [];
  }
}

/** @param {readonly string[]} args */
function git(...args) {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);
}

/** @param {string} path */
function testsBeside(path) {
  // A feature has one name in the contract, the service and the console.
  const feature = /^contract\/([\w-]+)\.ts$/.exec(path)?.[1];
  const folders =
    feature === undefined
      ? [dirname(path)]
      : [`service/${feature}`, `console/src/features/${feature}`];
  return folders
    .filter((folder) => existsSync(ROOT + folder))
    .flatMap((folder) => readdirSync(ROOT + folder).map((name) => `${folder}/${name}`))
    .filter((test) => /\.test\.tsx?$/.test(test) && !test.includes("/design/"));
}

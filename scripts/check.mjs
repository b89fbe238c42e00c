import { readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBrowser } from "./browser.mjs";
import { ensureConsoleBuilt, ensureWorkerBuilt } from "./build.mjs";
import { ensureInstalled } from "./install.mjs";
import { PROJECT_NODE, capture } from "./tools.mjs";

/** @typedef {{ passed: number, failed: number }} Tally */
/** @typedef {{ name: string, args: readonly string[], env?: NodeJS.ProcessEnv, count?: () => Tally, printsLast?: boolean }} Check */

const PROJECTS = [
  "contract",
  "service",
  "service/tsconfig.tests.json",
  "console/tsconfig.tests.json",
  "hosts/ports",
  "hosts/node",
  "hosts/cloudflare",
  "hosts/conformance",
  "program",
  "stand-ins",
  "console",
  "e2e",
  "bench",
  "scripts",
];

const STORIES = ["--root=console", "--config=stories.vitest.config.ts"];
const FONTS = ["--root=console", "--config=fonts.vitest.config.ts"];

/**
 * Runs all checks except the journeys; the rigs, the screens in every state and the stories in more
 * browsers only on request, because they take minutes.
 * Each static check counts as one test.
 * @param {{ rigs?: boolean }} [options]
 */
export async function check({ rigs = false } = {}) {
  // Tests of the whole Worker run concurrently: build what they share once, before they start.
  await ensureConsoleBuilt();
  await ensureWorkerBuilt();
  const browser = await ensureBrowser();
  /** @type {Check[]} */
  const checks = [
    // The longest first, so that shorter ones run beside it.
    vitest("tests", ["--project=units"], rigs ? { WITH_RIGS: "1" } : {}),
    ...(rigs ? [vitest("rigs", ["--project=rigs"]), simulation(1_001), simulation(1_501)] : []),
    // Reports and fetches nothing: these tests need no network. The short check only runs the
    // ports' suites on this host; the full one also runs those of the features.
    vitest(
      "tests in Cloudflare's runtime",
      ["--root=hosts/cloudflare", ...(rigs ? [] : ["--exclude=../../service/**"])],
      {
        WRANGLER_SEND_METRICS: "false",
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
      },
    ),
    vitest(
      "tests of components",
      ["--root=console", ...(rigs ? [] : ["--exclude=src/app/design/screens.browser.test.tsx"])],
      { CHROMIUM_PATH: browser },
    ),
    ...(rigs
      ? [
          vitest("stories in Firefox", STORIES),
          vitest("pictures with other fonts", FONTS, { CHROMIUM_PATH: browser }),
        ]
      : []),
    { name: "lint", args: ["node_modules/oxlint/bin/oxlint", "--type-aware"] },
    { name: "format", args: ["node_modules/oxfmt/bin/oxfmt", "--check", "."] },
    { name: "unused code", args: ["node_modules/knip/bin/knip.js"] },
    ...PROJECTS.map((project) => ({
      name: `types of ${project}`,
      args: ["node_modules/typescript/bin/tsc", "-p", project],
    })),
  ];
  return runAll(checks);
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Check}
 */
function vitest(name, args, env) {
  const report = join(tmpdir(), `vodkeep-${process.pid}-${name.replaceAll(/\W+/g, "-")}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return {
    name,
    args: ["node_modules/vitest/vitest.mjs", "run", ...args, ...reporters],
    ...(env && { env }),
    count: () => readVitestReport(report),
  };
}

/**
 * 200 seeds: two of these use two processors.
 * @param {number} seed
 * @returns {Check}
 */
function simulation(seed) {
  return {
    name: `simulation from seed ${seed}`,
    args: ["bench/simulate/main.ts", "--seed", String(seed), "--seeds", "200"],
    printsLast: true,
  };
}

/**
 * @param {readonly Check[]} checks
 * @returns {Promise<Tally>}
 */
async function runAll(checks) {
  const waiting = [...checks];
  const tally = { passed: 0, failed: 0 };
  async function work() {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { passed, failed } = await runOne(next);
      tally.passed += passed;
      tally.failed += failed;
    }
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, work));
  return tally;
}

/**
 * @param {Check} item
 * @returns {Promise<Tally>}
 */
async function runOne({ name, args, env, count, printsLast }) {
  const startedMs = Date.now();
  const { code, output } = await capture(PROJECT_NODE, args, env);
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  if (code !== 0) console.log(output);
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (code === 0 && printsLast) console.log(`       ${output.trimEnd().split("\n").at(-1)}`);
  const tally = count?.() ?? { passed: 1, failed: 0 };
  // A run with a bad exit code has failed, even if all of its tests passed.
  return code === 0 || tally.failed > 0
    ? tally
    : { passed: count === undefined ? 0 : tally.passed, failed: 1 };
}

/**
 * @param {string} path
 * @returns {Tally}
 */
function readVitestReport(path) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(path, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    // The run ended before it wrote a report.
    return { passed: 0, failed: 1 };
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await ensureInstalled();
  const { passed, failed } = await check();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserPath } from "./browser.mjs";

/** @typedef {import("./queue.mjs").Step} Step */
/** @typedef {import("./queue.mjs").Tally} Tally */
/** @typedef {"node" | "cloudflare"} Host */

// What the test commands consist of.

/** What journeys need besides a browser. */
export const JOURNEY_PROGRAMS = { "/usr/bin/ffprobe": "ffmpeg" };

/** @type {readonly Step[]} */
export const STATIC_CHECKS = [
  // One for all rooms, which keeps what it knows of unchanged ones in *.tsbuildinfo.
  { name: "types", args: ["node_modules/typescript/bin/tsc", "-b"] },
  { name: "lint", args: ["node_modules/oxlint/bin/oxlint", "--type-aware"] },
  { name: "unused code", args: ["node_modules/knip/bin/knip.js"] },
  { name: "format", args: ["node_modules/oxfmt/bin/oxfmt", "--check", "."] },
];

/**
 * @param {string} name
 * @param {readonly string[]} args for Vitest
 * @param {Pick<Step, "env" | "ready">} [needs]
 * @returns {Step}
 */
export function vitest(name, args, needs = {}) {
  const report = reportOf(name);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return {
    name,
    args: ["node_modules/vitest/vitest.mjs", "run", ...args, ...reporters],
    ...needs,
    count: () =>
      readReport(report, ({ numPassedTests: passed, numFailedTests: failed }) => ({
        passed,
        failed,
      })),
  };
}

/**
 * Tests inside Cloudflare's runtime. It reports and fetches nothing: they need no network.
 * @param {string} name
 * @param {readonly string[]} args for Vitest
 */
export function workerd(name, args) {
  const env = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" };
  return vitest(name, ["--root=hosts/cloudflare", ...args], { env });
}

/**
 * Tests of components in Debian's Chromium.
 * @param {string} name
 * @param {readonly string[]} args for Vitest
 * @param {Promise<unknown>} ready
 */
export function components(name, args, ready) {
  return vitest(name, ["--root=console", ...args], {
    env: {
      // It may have to be installed before.
      get CHROMIUM_PATH() {
        return browserPath();
      },
    },
    ready,
  });
}

/**
 * Journeys in real browsers against the built console and the real service.
 * @param {string} name
 * @param {readonly string[]} args for Playwright
 * @param {{ host?: Host, ready?: Promise<unknown> }} [on]
 * @returns {Step}
 */
export function journeys(name, args, { host = "node", ...needs } = {}) {
  const report = reportOf(name);
  return {
    name,
    args: [
      "node_modules/@playwright/test/cli.js",
      "test",
      "--reporter=list,json",
      // Playwright empties the folder, and two may run at a time.
      `--output=test-results/${slugOf(name)}`,
      ...args,
    ],
    env: {
      // It may have to be installed before.
      get CHROMIUM_PATH() {
        return browserPath();
      },
      E2E_HOST: host,
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
    },
    ...needs,
    count: () =>
      readReport(report, ({ stats: { expected, unexpected, flaky } }) => ({
        passed: expected,
        failed: unexpected + flaky,
      })),
  };
}

/**
 * @param {number} seed of the first
 * @param {number} seeds
 * @returns {Step}
 */
export function simulation(seed, seeds) {
  return {
    name: `simulation from seed ${seed}`,
    args: ["bench/simulate/main.ts", "--seed", String(seed), "--seeds", String(seeds)],
    printsLast: true,
  };
}

/** @param {string} name */
function reportOf(name) {
  return join(tmpdir(), `vodkeep-${process.pid}-${slugOf(name)}.json`);
}

/** @param {string} name */
function slugOf(name) {
  return name.replaceAll(/\W+/g, "-");
}

/**
 * @param {string} path
 * @param {(report: any) => Tally} count
 * @returns {Tally}
 */
function readReport(path, count) {
  try {
    return count(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    // The run ended before it wrote a report.
    return { passed: 0, failed: 1 };
  }
}

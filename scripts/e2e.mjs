import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBrowser, FIREFOX } from "./browser.mjs";
import { ensureDebianPackages } from "./debian-packages.mjs";
import { ensureConsoleBuilt, ensureWorkerBuilt } from "./build.mjs";
import { ensureInstalled } from "./install.mjs";
import { PROJECT_NODE, fail, run } from "./tools.mjs";

/** @typedef {"node" | "cloudflare"} Host */

export const JOURNEY_PROGRAMS = { "/usr/bin/ffprobe": "ffmpeg" };

/**
 * Runs journeys in a real browser against the built console and the real service.
 * @param {readonly string[]} args for Playwright
 * @param {Host} [host] the host under test
 */
export async function runJourneys(args, host = "node") {
  await ensureDebianPackages(JOURNEY_PROGRAMS);
  const browser = await ensureBrowser();
  // Journeys of one project only, such as "wide", need no more than Chromium.
  if (!args.some((arg) => /^--project=(?:wide|phone)$/.test(arg)))
    await ensureDebianPackages(FIREFOX);
  await ensureConsoleBuilt();
  if (host === "cloudflare") await ensureWorkerBuilt();
  const report = join(tmpdir(), `vodkeep-playwright-${host}-${process.pid}.json`);
  const code = await run(
    PROJECT_NODE,
    ["node_modules/@playwright/test/cli.js", "test", "--reporter=list,json", ...args],
    {
      env: {
        ...process.env,
        CHROMIUM_PATH: browser,
        E2E_HOST: host,
        PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      },
    },
  );
  const tally = readReport(report);
  return code === 0 || tally.failed > 0 ? tally : { passed: tally.passed, failed: 1 };
}

/** @param {string} path */
function readReport(path) {
  try {
    const { expected, unexpected, flaky } = JSON.parse(readFileSync(path, "utf8")).stats;
    return { passed: expected, failed: unexpected + flaky };
  } catch {
    // The run ended before it wrote a report.
    return { passed: 0, failed: 1 };
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await ensureInstalled();
  // npm run e2e [-- --host cloudflare] [Playwright's own arguments]
  const args = process.argv.slice(2);
  const [, host = "node"] = args.includes("--host") ? args.splice(args.indexOf("--host"), 2) : [];
  if (host !== "node" && host !== "cloudflare") fail("--host takes node or cloudflare.");
  const { passed, failed } = await runJourneys(args, host);
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

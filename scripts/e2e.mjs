import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureConsoleBuilt, ensureWorkerBuilt } from "./build.mjs";
import { ensureDebianPackages } from "./debian-packages.mjs";
import { ensureInstalled } from "./install.mjs";
import { PROJECT_NODE, fail, run } from "./tools.mjs";

const BROWSERS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
];

/** @typedef {"node" | "cloudflare"} Host */

/**
 * Runs journeys in a real browser against the built console and the real service.
 * @param {readonly string[]} args for Playwright
 * @param {Host} [host] the host under test
 */
export async function runJourneys(args, host = "node") {
  const browser = await ensureBrowser();
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

/** Finds Chromium, or installs Debian's package. */
async function ensureBrowser() {
  const chosen = process.env["CHROMIUM_PATH"];
  if (chosen !== undefined && chosen !== "") return chosen;
  const found = BROWSERS.find((path) => existsSync(path));
  if (found !== undefined) return found;
  await ensureDebianPackages({
    "/usr/bin/chromium": "chromium",
    "/usr/share/fonts/truetype/liberation": "fonts-liberation",
  });
  return "/usr/bin/chromium";
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

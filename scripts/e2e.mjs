import { ensureBrowser, FIREFOX } from "./browser.mjs";
import { ensureConsoleBuilt, ensureWorkerBuilt } from "./build.mjs";
import { ensureDebianPackages } from "./debian-packages.mjs";
import { ensureInstalled } from "./install.mjs";
import { journeys, JOURNEY_PROGRAMS } from "./steps.mjs";
import { PROJECT_NODE, fail, run } from "./tools.mjs";

// npm run e2e [-- --host cloudflare] [Playwright's own arguments]

await ensureInstalled();
const args = process.argv.slice(2);
const [, host = "node"] = args.includes("--host") ? args.splice(args.indexOf("--host"), 2) : [];
if (host !== "node" && host !== "cloudflare") fail("--host takes node or cloudflare.");
await ensureDebianPackages(JOURNEY_PROGRAMS);
await ensureBrowser();
// Journeys of one project only, such as "wide", need no more than Chromium.
if (!args.some((arg) => /^--project=(?:wide|phone)$/.test(arg)))
  await ensureDebianPackages(FIREFOX);
await ensureConsoleBuilt();
if (host === "cloudflare") await ensureWorkerBuilt();
const step = journeys("journeys", args, { host });
process.exitCode = await run(PROJECT_NODE, step.args, { env: { ...process.env, ...step.env } });

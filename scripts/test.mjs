import { ensureBrowser, FIREFOX } from "./browser.mjs";
import { ensureConsoleBuilt, ensureWorkerBuilt } from "./build.mjs";
import { check } from "./check.mjs";
import { ensureDebianPackages } from "./debian-packages.mjs";
import { JOURNEY_PROGRAMS, runJourneys } from "./e2e.mjs";
import { ensureInstalled } from "./install.mjs";

// npm test: all tests, on a machine with only Node, npm and a network.

/**
 * The browser journeys that cover every part of the Cloudflare host: sessions, copying, live
 * updates, chunked uploads, restarts, files played and deleted. Running all of them, as `npm run
 * e2e -- --host cloudflare` does, would double the browser's share of the time.
 */
const CLOUDFLARE_JOURNEYS = [
  "gates",
  "archive",
  "uploads",
  "manual-upload",
  "operate",
  "files",
].map((name) => `e2e/${name}.spec.ts`);

/** Waits a minute for the second answer that a VOD is gone, which is the same on both hosts. */
const NOT_ON_CLOUDFLARE = "--grep-invert=deleted with its partial file";

/** Programs that the service and its command line are tested with, and a font for the pictures. */
const RIG_PROGRAMS = {
  "/usr/sbin/nginx": "nginx-light",
  "/usr/sbin/haproxy": "haproxy",
  "/usr/bin/caddy": "caddy",
  "/usr/bin/fish": "fish",
  "/usr/bin/zsh": "zsh",
  "/usr/share/fonts-droid-fallback": "fonts-droid-fallback",
};

await ensureInstalled();
// Packages are downloaded while the processors build.
await Promise.all([installPrograms(), ensureConsoleBuilt(), ensureWorkerBuilt()]);
const parts = [
  await check({ rigs: true }),
  await runJourneys([]),
  await runJourneys([...CLOUDFLARE_JOURNEYS, NOT_ON_CLOUDFLARE, "--project=wide"], "cloudflare"),
];
const passed = parts.reduce((sum, part) => sum + part.passed, 0);
const failed = parts.reduce((sum, part) => sum + part.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function installPrograms() {
  await ensureDebianPackages({ ...RIG_PROGRAMS, ...FIREFOX, ...JOURNEY_PROGRAMS });
  await ensureBrowser();
}

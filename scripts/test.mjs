import { check } from "./check.mjs";
import { ensureDebianPackages } from "./debian-packages.mjs";
import { runJourneys } from "./e2e.mjs";
import { ensureInstalled } from "./install.mjs";

// npm test: everything, on a machine that may have nothing but Node, npm and a network.

/**
 * Of the browser's journeys those that go through every part of the Cloudflare host: sessions,
 * copying, live updates, uploads in pieces, restarts, files played and deleted. All of them there, for which
 * `npm run e2e -- --host cloudflare` stands, would double the browser's share of the time.
 */
const CLOUDFLARE_JOURNEYS = [
  "gates",
  "archive",
  "uploads",
  "manual-upload",
  "operate",
  "files",
].map((name) => `e2e/${name}.spec.ts`);

/** Programs that the rigs run the service against. */
const RIG_PROGRAMS = {
  "/usr/bin/openssl": "openssl",
  "/usr/sbin/nginx": "nginx-light",
  "/usr/sbin/haproxy": "haproxy",
  "/usr/bin/caddy": "caddy",
  "/usr/bin/yt-dlp": "yt-dlp",
  "/usr/bin/streamlink": "streamlink",
};

await ensureInstalled();
await ensureDebianPackages(RIG_PROGRAMS);
const parts = [
  await check({ rigs: true }),
  await runJourneys([]),
  await runJourneys([...CLOUDFLARE_JOURNEYS, "--project=wide"], "cloudflare"),
];
const passed = parts.reduce((sum, part) => sum + part.passed, 0);
const failed = parts.reduce((sum, part) => sum + part.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

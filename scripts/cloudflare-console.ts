import { cpSync, writeFileSync } from "node:fs";
import { keepAssets } from "#hosts/node/kept-assets.ts";
import { consoleSecurityHeaders } from "#hosts/node/security-headers.ts";
import { ROOT } from "./tools.mjs";

const BUILT = `${ROOT}dist/console`;

/**
 * Copies the built console to `target` as Cloudflare's static assets: without precompressed files,
 * since Cloudflare compresses, and with the security headers in `_headers`
 * (developers.cloudflare.com/workers/static-assets/headers). A deployment replaces all assets, so
 * those of the build laid out here before are part of it for a day.
 */
export function layOutConsole(
  target: string,
  origins: Parameters<typeof consoleSecurityHeaders>[0],
): void {
  keepAssets(`${BUILT}/assets`, `${target}/assets`, Date.now(), isNeeded);
  cpSync(BUILT, target, {
    recursive: true,
    filter: (path) => isNeeded(path) && !path.startsWith(`${BUILT}/assets`),
  });
  const headers = Object.entries(consoleSecurityHeaders(origins));
  writeFileSync(
    `${target}/_headers`,
    [
      "/*",
      ...headers.map(([name, value]) => `  ${name}: ${value}`),
      "/assets/*",
      "  ! cache-control",
      "  cache-control: public, max-age=31536000, immutable",
      "",
    ].join("\n"),
  );
}

function isNeeded(path: string): boolean {
  return !path.endsWith(".br") && !path.endsWith(".gz");
}

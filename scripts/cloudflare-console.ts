import { cpSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { consoleSecurityHeaders } from "#hosts/node/security-headers.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUILT = `${ROOT}dist/console`;

/**
 * Copies the built console to `target` as Cloudflare's static assets: without precompressed files,
 * since Cloudflare compresses, and with the security headers in `_headers`
 * (developers.cloudflare.com/workers/static-assets/headers).
 */
export function layOutConsole(
  target: string,
  origins: Parameters<typeof consoleSecurityHeaders>[0],
): void {
  rmSync(target, { recursive: true, force: true });
  cpSync(BUILT, target, {
    recursive: true,
    filter: (path) => !path.endsWith(".br") && !path.endsWith(".gz"),
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

/**
 * Bundles a node host program and its threads into files with shared chunks.
 * @satisfies {import("esbuild").BuildOptions}
 */
export const NODE_BUNDLE = /** @type {const} */ ({
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node24",
  format: "esm",
  legalComments: "none",
  logLevel: "warning",
  // CommonJS packages call `require`, which ES modules lack.
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  },
});

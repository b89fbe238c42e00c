/**
 * How a program of the node host and its threads become files that share what they have in common.
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
  // Packages in the older module format ask for `require`, which ES modules lack.
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  },
});

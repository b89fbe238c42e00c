import { build } from "esbuild";
import { ROOT } from "./tools.mjs";

// The node host and its threads, each a file of dist/server with what they share beside them.

await build({
  absWorkingDir: ROOT,
  entryPoints: [
    "hosts/node/main.ts",
    "hosts/node/checkpoint-thread.ts",
    "hosts/node/digest-thread.ts",
  ],
  outdir: "dist/server",
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

import { build } from "esbuild";

/** Bundles the engine and the host's threads as `npm start` does: memory is measured as it is there. */
export async function bundleEngine(folder: string): Promise<void> {
  await build({
    entryPoints: {
      vodkeep: "bench/archive/vodkeep.ts",
      "digest-thread": "hosts/node/digest-thread.ts",
      "checkpoint-thread": "hosts/node/checkpoint-thread.ts",
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    legalComments: "none",
    logLevel: "warning",
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
}

import { build } from "esbuild";
import { NODE_BUNDLE } from "../../scripts/node-bundle.mjs";

/** Bundles the engine and the host's threads like `npm start`, so that memory use is the same. */
export async function bundleEngine(folder: string): Promise<void> {
  await build({
    entryPoints: {
      vodkeep: "bench/archive/vodkeep.ts",
      "digest-thread": "hosts/node/digest-thread.ts",
      "checkpoint-thread": "hosts/node/checkpoint-thread.ts",
    },
    outdir: folder,
    ...NODE_BUNDLE,
  });
}

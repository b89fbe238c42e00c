import { build } from "esbuild";
import { NODE_BUNDLE } from "./node-bundle.mjs";
import { ROOT } from "./tools.mjs";

// The node host and its threads, each a file of dist/server with what they share beside them.

await build({
  absWorkingDir: ROOT,
  entryPoints: [
    "hosts/node/main.ts",
    "hosts/node/checkpoint-thread.ts",
    "hosts/node/byte-thread.ts",
  ],
  outdir: "dist/server",
  ...NODE_BUNDLE,
});

import { build } from "esbuild";
import { readCommit } from "./commit.mjs";
import { NODE_BUNDLE } from "./node-bundle.mjs";
import { ROOT } from "./tools.mjs";

// Bundles the node host and its threads: each is a file in the folder given, beside shared chunks.

await build({
  absWorkingDir: ROOT,
  entryPoints: [
    "hosts/node/main.ts",
    "hosts/node/checkpoint-thread.ts",
    "hosts/node/digest-thread.ts",
  ],
  outdir: process.argv[2] ?? "dist/server",
  define: { BUILD_COMMIT: JSON.stringify(readCommit()) },
  ...NODE_BUNDLE,
});

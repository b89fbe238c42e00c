import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { BUNDLED_PACKAGES, listPackages } from "./bundled-packages.mjs";
import { readCommit } from "./commit.mjs";
import { NODE_BUNDLE } from "./node-bundle.mjs";
import { ROOT } from "./tools.mjs";

// Bundles the program `vodkeep`, the threads of the node host and the stand-ins: each is a file in
// the folder given, beside shared chunks and the stand-ins' media.

const folder = process.argv[2] ?? "dist/program";
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: {
    main: "program/main.ts",
    "checkpoint-thread": "hosts/node/checkpoint-thread.ts",
    "digest-thread": "hosts/node/digest-thread.ts",
    "inspect-thread": "hosts/node/inspect-thread.ts",
    "snapshot-thread": "hosts/node/snapshot-thread.ts",
    "stand-ins-process": "hosts/node/stand-ins-process.ts",
  },
  outdir: folder,
  define: { BUILD_COMMIT: JSON.stringify(readCommit()) },
  metafile: true,
  ...NODE_BUNDLE,
});
const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
const bundled = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([name]) => name);
writeFileSync(join(folder, BUNDLED_PACKAGES), listPackages(bundled));
for (const name of ["vodkeep.cjs", "server-memory.cjs"])
  cpSync(join(ROOT, "program", name), join(folder, name));
cpSync(join(ROOT, "stand-ins/twitch/media/base"), join(folder, "base"), { recursive: true });

import { spawn } from "node:child_process";
import { ensureConsoleBuilt, ensureWorkerBuilt } from "./build.mjs";
import { followChild } from "./follow-child.mjs";
import { ensureInstalled } from "./install.mjs";
import { PROJECT_NODE, ROOT } from "./tools.mjs";

// npm run start:cloudflare: runs the Worker in Cloudflare's runtime on this machine, offline, with
// the same settings as npm start.

await ensureInstalled();
await ensureConsoleBuilt();
await ensureWorkerBuilt();
followChild(() =>
  spawn(PROJECT_NODE, ["scripts/run-cloudflare.ts"], {
    cwd: ROOT,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  }),
);

import { spawn } from "node:child_process";
import { ensureConsoleBuilt, ensureWorkerBuilt } from "./build.mjs";
import { ensureInstalled } from "./install.mjs";
import { PROJECT_NODE, ROOT } from "./tools.mjs";

// npm run start:cloudflare: the Worker in Cloudflare's own runtime on this machine, offline, with
// the same settings as npm start.

await ensureInstalled();
await ensureConsoleBuilt();
await ensureWorkerBuilt();
const child = spawn(PROJECT_NODE, ["scripts/run-cloudflare.ts"], {
  cwd: ROOT,
  stdio: ["inherit", "inherit", "inherit", "ipc"],
});
// Ctrl+C reaches both; the child decides when all is put away.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.once("exit", (code) => process.exit(code ?? 1));

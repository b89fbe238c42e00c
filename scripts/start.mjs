import { spawn } from "node:child_process";
import { ensureAllBuilt } from "./build.mjs";
import { followChild } from "./follow-child.mjs";
import { ensureInstalled } from "./install.mjs";
import { SERVER_ALLOCATOR, SERVER_FLAGS } from "../program/server-memory.cjs";
import { PROJECT_NODE, ROOT } from "./tools.mjs";

// npm start: sets up and starts the service from a fresh clone.
// npm run dev: the same, with the console from its sources and a restart on changes.

const PROGRAM_SOURCE = "program/main.ts";
const PROGRAM_BUILD = "dist/program/main.js";
const VITE = "node_modules/vite/bin/vite.js";
const VITE_PORT = "5173";

const isDevelopment = process.argv.includes("--dev");

await ensureInstalled();
if (isDevelopment) develop();
else {
  await ensureAllBuilt();
  const args = process.argv.slice(2);
  followChild(() => start([...SERVER_FLAGS, PROGRAM_BUILD, ...args], SERVER_ALLOCATOR));
}

function develop() {
  const console = { CONSOLE_URL: `http://localhost:${VITE_PORT}` };
  const server = start(["--watch", "--watch-preserve-output", PROGRAM_SOURCE], console, "inherit");
  const api = { VITE_API_URL: `http://localhost:${process.env["PORT"] || "8787"}` };
  const vite = start([VITE, "--port", VITE_PORT, "--strictPort"], api, "inherit");
  vite.once("exit", () => server.kill("SIGTERM"));
  server.once("exit", () => vite.kill("SIGTERM"));
  followChild(() => server);
}

/**
 * The IPC channel tells the server when this process ends for any reason. `node --watch` and Vite
 * do not look at theirs, and end on a signal.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} defaults
 * @param {import("node:child_process").StdioOptions} stdio
 */
function start(args, defaults, stdio = ["inherit", "inherit", "inherit", "ipc"]) {
  return spawn(PROJECT_NODE, args, {
    cwd: ROOT,
    stdio,
    env: { ...defaults, ...process.env },
  });
}

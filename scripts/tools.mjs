import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { followCpu } from "./cpu-time.mjs";

// Helpers for the commands of package.json. They run on the system's Node, 20 or later, before
// anything is installed: plain JavaScript with only the standard library.

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The project's own version of Node, installed by the `node` package. */
export const PROJECT_NODE = `${ROOT}node_modules/.bin/node`;

/**
 * Runs a program to its end and shows its output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<number>} its exit code; 1 when a signal ended it
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: "inherit", ...options });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** Several times the longest check: one that hangs fails, and the others are still reported. */
const CAPTURE_TIMEOUT_MS = 90 * 60_000;

/** What threads and programs of the tests compile from sources, which is most of their start. */
const COMPILED = `${ROOT}node_modules/.cache/node`;

/** For output still in the pipes; a leftover grandchild could keep them open forever. */
const LAST_OUTPUT_MS = 2_000;

/**
 * Runs a program to its end and returns its output, and the processor time of it and its children.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env] added to the environment
 * @returns {Promise<{ code: number, output: string, cpuMs: number }>}
 */
export function capture(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: { NODE_COMPILE_CACHE: COMPILED, ...process.env, ...env },
      timeout: CAPTURE_TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    const cpu = followCpu(child);
    child.once("exit", () => {
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, LAST_OUTPUT_MS).unref();
    });
    /** @type {Buffer[]} */
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString(), cpuMs: cpu.ms }),
    );
  });
}

/**
 * Prints a message and exits with a failure.
 * @param {string} message
 * @returns {never}
 */
export function fail(message) {
  console.error(message);
  process.exit(1);
}

/** @param {string} path relative to the root */
export function exists(path) {
  return existsSync(ROOT + path);
}

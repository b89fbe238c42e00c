import process from "node:process";

/** The parent process. Read at the start, since it may be gone before the child exists. */
const STARTER = process.ppid;

/** How long a service may outlive the npm process that started it. */
const LOOK_EVERY_MS = 500;

/**
 * Starts a child with an IPC channel and exits with it. Asks the child once to end when this
 * process is asked to. Signal handlers are installed before the child is started.
 *
 * - Ctrl+C and signals to the process group reach the child too, and the service treats a second
 *   signal as "now". Closing the channel instead counts with the signal as one request.
 * - npm passes SIGTERM to its shell, which dies silently. This process then has a new parent.
 *
 * @param {() => import("node:child_process").ChildProcess} start
 */
export function followChild(start) {
  process.on("SIGINT", () => clearInterval(watch));
  process.on("SIGTERM", askToEnd);
  const child = start();
  child.once("exit", (code) => process.exit(code ?? 1));
  let isAsked = false;
  function askToEnd() {
    if (isAsked || !child.connected) child.kill("SIGTERM");
    else child.disconnect();
    isAsked = true;
  }
  const watch = setInterval(() => {
    if (process.ppid === STARTER || process.env["npm_lifecycle_event"] === undefined) return;
    clearInterval(watch);
    if (!isAsked) askToEnd();
  }, LOOK_EVERY_MS);
}

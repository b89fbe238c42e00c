import process from "node:process";

/** Who started us. Known from the beginning: it may be gone before there is anything to follow. */
const STARTER = process.ppid;

/** How long a service may outlive the npm that started it. */
const LOOK_EVERY_MS = 500;

/**
 * Starts a child that has a channel to us, lives and ends with it, and asks it once to end when we
 * are asked to. From its first moment on: we listen before there is a child.
 *
 * - Ctrl+C and a signal to the whole group reach the child as well, and to the service a second
 *   signal means "now": so it is asked by closing the channel, which it counts with the signal.
 * - npm hands a SIGTERM to its shell, which dies of it without a word to us. Then we are nobody's.
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

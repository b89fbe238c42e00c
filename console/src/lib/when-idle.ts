/** After the screen's own scripts, data and rendering, which idle callbacks do not wait for. */
const QUIET_MS = 500;

const tasks: (() => Promise<unknown>)[] = [];
let isWorking = false;

/** Runs `task` when the browser is idle, one at a time; its failure is ignored. */
export function whenIdle(task: () => Promise<unknown>): void {
  if (typeof window === "undefined") return;
  tasks.push(task);
  if (!isWorking) void work();
}

async function work(): Promise<void> {
  isWorking = true;
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
    await idle();
    await task().catch(() => undefined);
  }
  isWorking = false;
}

/** Safari has no idle callbacks. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window) window.requestIdleCallback(() => resolve());
    else setTimeout(resolve, 0);
  });
}

/** After the screen's own scripts, data and rendering, which idle callbacks do not wait for. */
const QUIET_MS = 3_000;

const tasks: (() => Promise<unknown>)[] = [];
let isWorking = false;

/**
 * Runs `task` when the browser is idle, one at a time; its failure is ignored. Not at all where the
 * line is slow or its data are to be saved: the task must be one that can be left to its need.
 */
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
    if (!isLineScarce()) await task().catch(() => undefined);
  }
  isWorking = false;
}

/** Only browsers on Chromium say so (Network Information API), which TypeScript does not declare. */
type Line = { readonly saveData?: boolean; readonly effectiveType?: string };

function isLineScarce(): boolean {
  const { connection } = navigator as Navigator & { readonly connection?: Line };
  return connection?.saveData === true || /^(slow-2g|2g|3g)$/.test(connection?.effectiveType ?? "");
}

/** A browser that is never idle must not wait for ever. */
const BUSY_FOR_MS = 1_000;

/** Safari has no idle callbacks. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window)
      window.requestIdleCallback(() => resolve(), { timeout: BUSY_FOR_MS });
    else setTimeout(resolve, 0);
  });
}

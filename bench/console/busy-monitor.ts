import type { Browser } from "@playwright/test";
import type { LiveHost } from "../live/live-host.ts";
import { blockingOf, CPU_SLOWDOWN, observe, signedInContext } from "./visit.ts";

export type MonitorFigures = {
  readonly seconds: number;
  readonly longestTaskMs: number;
  readonly blockingMs: number;
  /** Of the page's main thread. */
  readonly busyPercent: number;
};

const UPDATES_PER_SEC = 50;
const ROWS = 20;
const SECONDS = 20;

/** Measures the Upload Monitor on a slow machine while every row changes. */
export async function measureBusyMonitor(
  browser: Browser,
  host: LiveHost,
): Promise<MonitorFigures> {
  const context = await signedInContext(browser, `http://localhost:${host.port}`);
  try {
    const page = await context.newPage();
    await page.goto(`http://localhost:${host.port}/uploads`);
    await page.getByRole("row").nth(ROWS).waitFor();
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    const taskSeconds = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
    };
    await host.publish(UPDATES_PER_SEC, 2, ROWS);
    const { tasksMs: before } = await observe(page);
    const busyBefore = await taskSeconds();
    await host.publish(UPDATES_PER_SEC, SECONDS, ROWS);
    const busySeconds = (await taskSeconds()) - busyBefore;
    const tasksMs = (await observe(page)).tasksMs.slice(before.length);
    return {
      seconds: SECONDS,
      longestTaskMs: Math.round(Math.max(0, ...tasksMs)),
      blockingMs: Math.round(blockingOf(tasksMs)),
      busyPercent: Math.round((busySeconds / SECONDS) * 100),
    };
  } finally {
    await context.close();
  }
}

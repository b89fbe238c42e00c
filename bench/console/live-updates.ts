import type { Browser } from "@playwright/test";
import * as z from "zod/mini";
import type { LiveHost } from "../live/live-host.ts";
import { CPU_SLOWDOWN, signedInContext, UPDATES_PER_SEC } from "./visit.ts";

export type LiveUpdates = {
  /** Of the page's main thread, on the reference machine. */
  readonly busyShare: number;
  /** 1 if only the row of the upload renders. */
  readonly rowRendersPerUpdate: number;
  /** Elements whose style is computed again for one changed row. */
  readonly restyledPerUpdate: number;
};

const ROWS = 20;
const MEASURED_SEC = 5;

/** Idle work after the first view, which is not that of the updates. */
const SETTLE_MS = 8_000;

/**
 * Counts what React renders, as its developer tools do: a fiber that has performed work, in subtrees
 * that a commit has replaced. A row's key is its upload's id.
 */
const COUNT_RENDERS = `
  window.rowRenders = 0;
  function visit(fiber, before) {
    if ((fiber.flags & 1) !== 0 && /^upload\\d+$/.test(fiber.key ?? "")) window.rowRenders += 1;
    if (before !== null && fiber.child === before.child) return;
    for (let child = fiber.child; child !== null; child = child.sibling) visit(child, child.alternate);
  }
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (_id, { current }) => visit(current, current.alternate),
    onPostCommitFiberRoot() {},
    onCommitFiberUnmount() {},
  };
`;

const traceSchema = z.object({
  traceEvents: z.array(
    z.looseObject({
      name: z.string(),
      args: z.optional(z.looseObject({ elementCount: z.optional(z.number()) })),
    }),
  ),
});

/** Feeds a page of running uploads with updates of its rows. */
export async function measureLiveUpdates(browser: Browser, host: LiveHost): Promise<LiveUpdates> {
  const url = `http://localhost:${host.port}`;
  const context = await signedInContext(browser, url);
  try {
    await context.addInitScript(COUNT_RENDERS);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(`${url}/uploads`);
    await page.getByRole("row").nth(ROWS).waitFor();
    await page.waitForTimeout(SETTLE_MS);
    async function busySec(): Promise<number> {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
    }
    await page.evaluate("window.rowRenders = 0");
    await browser.startTracing(page, { categories: ["devtools.timeline"] });
    const busyBeforeSec = await busySec();
    const startedMs = performance.now();
    await host.publish(UPDATES_PER_SEC, MEASURED_SEC, ROWS);
    const busyShare =
      ((await busySec()) - busyBeforeSec) / ((performance.now() - startedMs) / 1_000);
    const { traceEvents } = traceSchema.parse(JSON.parse(String(await browser.stopTracing())));
    const restyled = traceEvents
      .filter(({ name }) => name === "UpdateLayoutTree")
      .reduce((sum, { args }) => sum + (args?.elementCount ?? 0), 0);
    const updates = UPDATES_PER_SEC * MEASURED_SEC;
    const rowRenders = z.number().parse(await page.evaluate("window.rowRenders"));
    return {
      busyShare,
      rowRendersPerUpdate: rowRenders / updates,
      restyledPerUpdate: restyled / updates,
    };
  } finally {
    await context.close();
  }
}

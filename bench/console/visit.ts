import type { Browser, BrowserContext } from "@playwright/test";
import { storageState } from "../../e2e/fixtures/sign-in.ts";
import { LIVE_ADMIN, LIVE_COOKIE, LIVE_TOKEN } from "../live/live-host.ts";
import * as z from "zod/mini";

export type Visit = {
  readonly lcpMs: number;
  /** Time beyond 50 ms of all long tasks, including those before the first paint. */
  readonly blockingMs: number;
  readonly layoutShift: number;
};

/** The reference machine of the targets (docs/targets.md#console). */
const CPU_SLOWDOWN = 4;

/** After the heading appears, late work still counts as part of the visit. */
const SETTLE_MS = 1_500;

const OBSERVERS = `
  window.visit = { lcpMs: 0, layoutShift: 0, tasksMs: [] };
  const watch = (type, see) =>
    new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true });
  watch("largest-contentful-paint", (entry) => { window.visit.lcpMs = entry.startTime; });
  watch("layout-shift", (entry) => { if (!entry.hadRecentInput) window.visit.layoutShift += entry.value; });
  watch("longtask", (entry) => { window.visit.tasksMs.push(entry.duration); });
`;

const observedSchema = z.object({
  lcpMs: z.number(),
  layoutShift: z.number(),
  tasksMs: z.array(z.number()),
});

/** A browser with an empty profile that is signed in. */
export async function signedInContext(browser: Browser, url: string): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1366, height: 768 },
    storageState: storageState(url, [["vodkeep_session", LIVE_COOKIE]], {
      admin_token: LIVE_TOKEN,
      admin_user: JSON.stringify(LIVE_ADMIN),
    }),
  });
  await context.addInitScript(OBSERVERS);
  return context;
}

/** Opens one route with an empty cache on a slowed-down CPU. */
export async function visit(browser: Browser, url: string, path: string): Promise<Visit> {
  const context = await signedInContext(browser, url);
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    await page.goto(`${url}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForTimeout(SETTLE_MS);
    const observed = observedSchema.parse(await page.evaluate("window.visit"));
    return {
      lcpMs: Math.round(observed.lcpMs),
      blockingMs: Math.round(blockingOf(observed.tasksMs)),
      layoutShift: observed.layoutShift,
    };
  } finally {
    await context.close();
  }
}

function blockingOf(tasksMs: readonly number[]): number {
  return tasksMs.reduce((total, durationMs) => total + Math.max(0, durationMs - 50), 0);
}

import type { Browser, BrowserContext } from "@playwright/test";
import { browserNotifications } from "#contract/browser-notifications.ts";
import { storageState } from "../../e2e/fixtures/sign-in.ts";
import { LIVE_ADMIN, LIVE_COOKIE, LIVE_TOKEN, type LiveHost } from "../live/live-host.ts";
import * as z from "zod/mini";

export type Visit = {
  readonly lcpMs: number;
  /** Time beyond 50 ms of all long tasks, including those before the first paint. */
  readonly blockingMs: number;
  readonly layoutShift: number;
};

/** The reference machine of the targets (docs/targets.md#console). */
export const CPU_SLOWDOWN = 4;

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

/** What else a visit may find. */
export const VISIT_CASES = [
  "first steps put away",
  "a notice of Twitch",
  "a slow line",
  "live updates",
] as const;
type VisitCase = (typeof VISIT_CASES)[number];

export const UPDATES_PER_SEC = 50;

/** 400 ms, and 1 Mbit/s both ways. */
const SLOW_LINE = {
  offline: false,
  latency: 400,
  downloadThroughput: 125_000,
  uploadThroughput: 125_000,
};

/** A browser with an empty profile that is signed in. */
export async function signedInContext(
  browser: Browser,
  url: string,
  which?: VisitCase,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1366, height: 768 },
    storageState: storageState(url, [["vodkeep_session", LIVE_COOKIE]], {
      admin_token: LIVE_TOKEN,
      admin_user: JSON.stringify(LIVE_ADMIN),
      ...(which === "first steps put away" && { first_steps: "away" }),
    }),
  });
  if (which === "a notice of Twitch")
    await context.route(`**${browserNotifications.path}`, async (route) => {
      const response = await route.fetch();
      const { data } = z.object({ data: z.looseObject({}) }).parse(await response.json());
      await route.fulfill({ response, json: { data: { ...data, twitchFault: "No answer." } } });
    });
  await context.addInitScript(OBSERVERS);
  return context;
}

/** Opens one route with an empty cache on a slowed-down CPU. */
export async function visit(
  browser: Browser,
  host: LiveHost,
  path: string,
  which?: VisitCase,
): Promise<Visit> {
  const url = `http://localhost:${host.port}`;
  const context = await signedInContext(browser, url, which);
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    if (which === "a slow line") await session.send("Network.emulateNetworkConditions", SLOW_LINE);
    await page.goto(`${url}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    if (which === "live updates") await host.publish(UPDATES_PER_SEC, 1, 20);
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

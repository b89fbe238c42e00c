import type { Page, Request } from "@playwright/test";
import { validate } from "#contract/auth.ts";
import { dashboardView } from "#contract/dashboard.ts";
import { holdAnswer } from "./fixtures/answers.ts";
import { expect, test } from "./fixtures/journey.ts";

test.use({ seeded: { users: 45, uploads: 60, files: 60 } });

const SCREENS: readonly (readonly [path: string, title: string])[] = [
  ["/", "Dashboard"],
  ["/uploads", "Upload Monitor"],
  ["/uploads/failed", "Failed Uploads"],
  ["/files", "File Browser"],
  ["/users", "Users"],
  ["/notifications", "Notifications"],
  ["/system", "System"],
  ["/audit", "Audit Log"],
  ["/channels", "Channels"],
];

/**
 * Frames within which a screen must show itself from top to bottom: 200 ms of an idle browser. A
 * busy machine draws fewer frames, so that its speed does not decide.
 */
const BLANK_AT_MOST_FRAMES = 12;
/** The largest gap that a screen may have. */
const GAP_AT_MOST_PX = 200;

/** Longer than a frame, so that each response is painted before the next arrives. */
const ANSWERS_APART_MS = 30;

declare global {
  interface Window {
    movedElements: string[];
    /** In how many frames a title was shown above a blank screen; null while it still is. */
    blankForFrames: number | null;
  }
}

for (const width of [1280, 390]) {
  test(`no screen shifts its content while its data arrives, ${width} px wide`, async ({
    page,
    signIn,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await signIn("Avery Admin");
    await expect(page.getByText("System Status: Online")).toBeVisible();
    await watchMoves(page);
    const calls = await spaceAnswers(page);
    for (const [path, title] of SCREENS) {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
      await expect(page.locator("main [data-skeleton]")).toHaveCount(0);
      await expect.poll(calls.waiting).toBe(0);
      expect(await movesOf(page), title).toEqual([]);
    }
  });
}

for (const width of [1280, 390]) {
  test(`no screen is blank while its data is loading, ${width} px wide`, async ({
    page,
    signIn,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await signIn("Avery Admin");
    await expect(page.getByText("System Status: Online")).toBeVisible();
    await watchBlanks(page);
    const never = Promise.withResolvers<void>();
    await page.route(
      (url) => isCall(url) && !url.pathname.startsWith("/admin/auth/"),
      async () => never.promise,
    );
    for (const [path, title] of SCREENS) {
      await page.goto(path);
      await expect
        .poll(async () => page.evaluate(() => window.blankForFrames), { message: title })
        .not.toBeNull();
      const frames = await page.evaluate(() => window.blankForFrames);
      expect(frames, title).toBeLessThan(BLANK_AT_MOST_FRAMES);
    }
  });
}

test("the page is not blank while its scripts load", async ({ page }) => {
  const loaded = Promise.withResolvers<void>();
  await page.route("**/assets/*.js", async (route) => {
    await loaded.promise;
    await route.continue();
  });
  await page.goto("/", { waitUntil: "commit" });
  await expect(page.getByText("Loading...")).toBeVisible();
  loaded.resolve();
  await expect(page.getByRole("button", { name: "Sign in with Twitch" })).toBeVisible();
  await expect(page.getByText("Loading...")).toHaveCount(0);
});

test("data is requested before the session is confirmed", async ({ page, signIn }) => {
  await signIn("Avery Admin");
  await expect(page.getByText("System Status: Online")).toBeVisible();
  const confirm = await holdAnswer(page, validate);
  const early = page.waitForResponse(`**${dashboardView.path}?*`);
  await page.goto("/");
  await early;
  await expect(page.getByText("Checking authentication status")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Dashboard" })).toHaveCount(0);
  confirm();
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
});

/** Records unexpected movement in each document from now on: the browser's layout shifts. */
async function watchMoves(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.movedElements = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (!("sources" in entry) || !Array.isArray(entry.sources)) continue;
        for (const { node } of entry.sources) {
          const element = node instanceof Element ? node : node?.parentElement;
          window.movedElements.push(`${element?.tagName}.${element?.className}`);
        }
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/** Measures in each frame, from now on, whether something fills the window below the title. */
async function watchBlanks(page: Page): Promise<void> {
  await page.addInitScript((gapAtMostPx) => {
    window.blankForFrames = null;
    let frames = 0;
    /** The largest height within the window without text, control or placeholder. */
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- what runs in the page must be whole in itself
    function largestGap(main: Element): number {
      const boxes = [...main.querySelectorAll("*")]
        .filter((one) => one.childElementCount === 0)
        .filter((one) => one.checkVisibility({ visibilityProperty: true }))
        .map((one) => one.getBoundingClientRect())
        .filter(({ width, height }) => width > 0 && height > 0)
        .toSorted((one, other) => one.top - other.top);
      let filledTo = 0;
      let gap = 0;
      for (const { top, bottom } of boxes) {
        gap = Math.max(gap, Math.min(top, window.innerHeight) - filledTo);
        filledTo = Math.max(filledTo, bottom);
      }
      return Math.max(gap, window.innerHeight - filledTo);
    }
    function look(): void {
      const main = document.querySelector("main:has([data-page-title])");
      if (main !== null) {
        if (largestGap(main) <= gapAtMostPx) {
          window.blankForFrames = frames;
          return;
        }
        frames += 1;
      }
      requestAnimationFrame(look);
    }
    requestAnimationFrame(look);
  }, GAP_AT_MOST_PX);
}

/** The browser reports layout shifts one frame later. */
async function movesOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        requestAnimationFrame(() =>
          requestAnimationFrame(() => setTimeout(() => resolve(window.movedElements))),
        );
      }),
  );
}

/** Lets responses arrive one after another, as over a slow network. */
async function spaceAnswers(page: Page): Promise<{ readonly waiting: () => number }> {
  const calls = new Set<Request>();
  let nextAtMs = 0;
  page.on("requestfinished", (request) => calls.delete(request));
  page.on("requestfailed", (request) => calls.delete(request));
  await page.route(isCall, async (route) => {
    calls.add(route.request());
    nextAtMs = Math.max(Date.now(), nextAtMs) + ANSWERS_APART_MS;
    await new Promise((resolve) => setTimeout(resolve, nextAtMs - Date.now()));
    await route.fallback();
  });
  return { waiting: () => calls.size };
}

/** Excludes streams, which never end. */
function isCall({ pathname }: URL): boolean {
  return pathname.startsWith("/admin/") && !pathname.endsWith("/stream");
}

import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import type { BrowserCommandContext } from "vitest/node";
import * as z from "zod/mini";
import { CHROMIUM_LAUNCH } from "../scripts/testing/chromium.ts";

const traceEventSchema = z.object({
  name: z.string(),
  ts: z.number(),
  args: z.optional(z.object({ elementCount: z.optional(z.number()) })),
});

export const CONTEXT = { locale: "en-US", timezoneId: "UTC", reducedMotion: "reduce" } as const;

/** By the browser's own trace, which alone knows how many elements get new styles. */
async function restyledByOneElement(context: BrowserCommandContext): Promise<number> {
  const session = await context.context.newCDPSession(context.page);
  const events: z.infer<typeof traceEventSchema>[] = [];
  session.on("Tracing.dataCollected", ({ value }) =>
    events.push(...z.array(traceEventSchema).parse(value)),
  );
  const ended = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["devtools.timeline"] },
  });
  const tested = await context.frame();
  await tested.evaluate(() => {
    const last = document.querySelector("main > :last-child");
    // Reading a size computes what waits.
    const heightBefore = last?.clientHeight;
    console.timeStamp("added");
    last?.append(document.createElement("i"));
    return [heightBefore, last?.clientHeight];
  });
  await session.send("Tracing.end");
  await ended;
  await session.detach();
  events.sort((a, b) => a.ts - b.ts);
  const added = events.findIndex(({ name }) => name === "TimeStamp");
  const pass = events.slice(added).find(({ name }) => name === "UpdateLayoutTree");
  if (added === -1 || pass === undefined) throw new Error("The trace has no change of style.");
  return pass.args?.elementCount ?? 0;
}

/** Tests of single components and screens, in Debian's Chromium and without a service. */
export default defineConfig({
  optimizeDeps: {
    // A dependency that is found late would reload the page under a running test.
    entries: ["src/**/*.{browser.test,stories}.tsx", "src/app/router.tsx", "src/testing/*.tsx"],
    include: ["react/jsx-dev-runtime", "react/jsx-runtime", "hls.js/light"],
  },
  test: {
    include: ["src/**/*.browser.test.tsx"],
    setupFiles: ["./src/testing/component-setup.ts"],
    maxWorkers: "100%",
    expect: { requireAssertions: true, poll: { timeout: 180_000 } },
    retry: 0,
    // Far longer than any test takes, since a busy machine is slow. Also ends what waits for an
    // element.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    browser: {
      enabled: true,
      commands: {
        forceColors: async ({ page }: BrowserCommandContext, active: boolean) =>
          page.emulateMedia({ forcedColors: active ? "active" : null }),
        restyledByOneElement,
      },
      headless: true,
      ui: false,
      screenshotFailures: false,
      viewport: { width: 1280, height: 800 },
      provider: playwright({
        launchOptions: CHROMIUM_LAUNCH,
        contextOptions: CONTEXT,
      }),
      instances: [{ browser: "chromium" }],
    },
  },
});

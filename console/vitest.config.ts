import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import type { BrowserCommandContext } from "vitest/node";
import { CHROMIUM_LAUNCH } from "../scripts/testing/chromium.ts";

export const CONTEXT = { locale: "en-US", timezoneId: "UTC", reducedMotion: "reduce" } as const;

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
    expect: { requireAssertions: true, poll: { timeout: 10_000 } },
    retry: 0,
    // Far longer than any test takes, since a busy machine is slow. Also ends what waits for an
    // element.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    browser: {
      enabled: true,
      commands: {
        forceColors: async ({ page }: BrowserCommandContext, active: boolean) =>
          page.emulateMedia({ forcedColors: active ? "active" : null }),
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

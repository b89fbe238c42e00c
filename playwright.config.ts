import { defineConfig } from "@playwright/test";
import { CHROMIUM_LAUNCH } from "./scripts/testing/chromium.ts";

/** A list, dialogs, and all that is done often. Components and pictures show the other screens. */
const ON_PHONES = /\/(?:files|users|ten-tasks)\.spec\.ts$/;

const FIREFOX = "firefox.spec.ts";

/**
 * Runs journeys in Debian's Chromium against the built console on the real node host, with the
 * stand-ins. Each worker has a separate service, data folder and Twitch stand-in.
 */
export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  outputDir: "test-results",
  workers: 2,
  retries: 0,
  fullyParallel: false,
  forbidOnly: process.env["CI"] !== undefined,
  // Far longer than any test takes, since a busy machine is slow.
  timeout: 600_000,
  expect: { timeout: 180_000 },
  projects: [
    { name: "wide", testIgnore: FIREFOX },
    {
      // In the other theme. Tests excluded by tag count calls, or cover features of wide screens, or
      // what neither the layout nor the theme changes.
      name: "phone",
      testMatch: ON_PHONES,
      grepInvert: /@calls|@wide/,
      use: { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
    },
    // Drives its browser itself (scripts/testing/firefox.ts).
    { name: "firefox", testMatch: FIREFOX },
  ],
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    locale: "en-GB",
    timezoneId: "UTC",
    screenshot: "only-on-failure",
    // Recording a trace makes each journey a quarter slower: pass --trace=retain-on-failure for one.
    launchOptions: CHROMIUM_LAUNCH,
  },
});

import { defineConfig } from "@playwright/test";

/** The screens of the specification, sentence by sentence. */
const SPECIFIED =
  /\/(?:dashboard|upload-monitor|failed-uploads|files|users|notifications|system)\.spec\.ts$/;

/**
 * Journeys in Debian's Chromium against the built console on the real node host, with the
 * stand-ins behind it. Each worker has a service, a data folder and a Twitch of its own.
 */
export default defineConfig({
  testDir: "e2e",
  testMatch: "**/*.spec.ts",
  outputDir: "test-results",
  workers: 2,
  retries: 0,
  fullyParallel: false,
  forbidOnly: process.env["CI"] !== undefined,
  // Far above what any takes: a machine busy with other work is slow, not wrong.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  projects: [
    { name: "wide" },
    {
      // Whatever the specification says of a screen holds on a phone, too, in the other theme. Left
      // out, by their tags, are tests that look at no screen but count calls, and those of what only
      // wide screens have.
      name: "phone",
      testMatch: SPECIFIED,
      grepInvert: /@calls|@wide/,
      use: { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
    },
  ],
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    locale: "en-GB",
    timezoneId: "UTC",
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium",
      // Chromium's own background traffic has nowhere to go in a closed network and would fill the
      // console with errors that are not ours. Root (as on CI machines) cannot use the sandbox.
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});

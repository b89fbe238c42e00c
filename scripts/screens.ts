import { mkdir, writeFile } from "node:fs/promises";
import { chromium, type Browser, type Page } from "@playwright/test";
import { signedInApi, start, startAndAwait } from "../e2e/fixtures/archives.ts";
import { startApp } from "../e2e/fixtures/running-app.ts";
import { ensureConsoleBuilt } from "./build.mjs";
import { CHROMIUM_LAUNCH } from "./testing/chromium.ts";

/**
 * Takes the screenshots of docs/screens from the running product: each screen wide in the light
 * theme and on a phone in the dark one. Run it for a release, not for each change, since every
 * retake stays in the history: npm run screens.
 */

const FOLDER = "docs/screens";

const SCREENS = {
  dashboard: "/",
  "upload-monitor": "/uploads",
  "failed-uploads": "/uploads/failed",
  "file-browser": "/files",
  users: "/users",
  notifications: "/notifications",
  system: "/system",
  audit: "/audit",
  channels: "/channels",
} as const;

const WIDE = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

/** VODs of the stand-in to archive: normal ones, a muted one, failures. */
const COMPLETED = ["2000000002", "2000000003", "2000000005", "2000001050", "2000000004"];
const FAILED = ["2000001060", "2000001130"];
/** Shown on the watch page, in the middle. */
const WATCHED = "2000000003";
const WATCHED_AT = "7m40s";
/** Slow enough to still be running when the screenshots are taken. */
const RUNNING = ["2000000001", "2000000006"];

/** Time for the last figures and transitions to settle. */
const SETTLE_MS = 1_500;

await ensureConsoleBuilt();
await mkdir(FOLDER, { recursive: true });
const app = await startApp();
const browser = await chromium.launch(CHROMIUM_LAUNCH);
try {
  const api = await signedInApi(app);
  let watched = "";
  for (const vodId of COMPLETED) {
    const { id } = await startAndAwait(api, vodId, "completed");
    if (vodId === WATCHED) watched = `/watch/${id}?t=${WATCHED_AT}`;
  }
  for (const vodId of FAILED) await startAndAwait(api, vodId, "failed");
  for (const vodId of RUNNING) await start(api, vodId);
  const screens = { ...SCREENS, watch: watched };
  await picture(browser, screens, { viewport: WIDE, colorScheme: "light" }, "");
  await picture(browser, screens, { viewport: PHONE, colorScheme: "dark" }, "-phone");
} finally {
  await browser.close();
  await app.discard();
}

async function picture(
  on: Browser,
  screens: Readonly<Record<string, string>>,
  look: { viewport: typeof WIDE; colorScheme: "light" | "dark" },
  suffix: string,
): Promise<void> {
  const page = await on.newPage(look);
  await page.goto(app.url);
  await page.getByRole("button", { name: "Sign in with Twitch" }).waitFor();
  await save(page, `login${suffix}`);
  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await page.getByRole("button", { name: /Avery Admin/ }).click();
  await page.getByText("System Status: Online").waitFor();
  for (const [name, path] of Object.entries(screens)) {
    await page.goto(app.url + path);
    await page.waitForTimeout(SETTLE_MS);
    await page.waitForFunction(
      "[...document.querySelectorAll('video')].every(({ readyState }) => readyState >= 2)",
    );
    await page.locator("main:not(:has([data-skeleton]))").waitFor();
    await save(page, name + suffix);
  }
  await page.close();
}

/** As WebP, a third of the PNG that Playwright would write. */
async function save(page: Page, name: string): Promise<void> {
  const chrome = await page.context().newCDPSession(page);
  const { data } = await chrome.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  await writeFile(`${FOLDER}/${name}.webp`, data, "base64");
}

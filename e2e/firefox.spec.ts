import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { expect, test as base } from "@playwright/test";
import { openTab, type Tab } from "../scripts/testing/firefox.ts";
import { signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { startApp, type RunningApp } from "./fixtures/running-app.ts";
import { TabUser, type Target } from "./fixtures/tab-user.ts";

/** Journeys through the whole product in Debian's Firefox. */

const ONE_MINUTE = "2000000002";
/** 15 minutes with a chat. */
const WITH_CHAT = "2000000003";
/** Each retry fails as well. */
const SUBSCRIBERS_ONLY = "2000001060";

const SCREEN: Target = ["main", ""];

type Fixtures = { readonly tab: Tab; readonly user: TabUser };

const test = base.extend<Fixtures, { readonly app: RunningApp }>({
  app: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixture's needs from this pattern
    async ({}, use) => {
      const app = await startApp();
      await use(app);
      await app.discard();
    },
    { scope: "worker" },
  ],
  // oxlint-disable-next-line no-empty-pattern -- as above
  tab: async ({}, use, testInfo) => {
    const tab = await openTab();
    await use(tab);
    if (testInfo.status !== testInfo.expectedStatus)
      await writeFile(testInfo.outputPath("failed.png"), await tab.screenshot());
    const complaints = await tab.complaints();
    await tab.close();
    expect(complaints).toEqual([]);
  },
  /** Signed in, on the Dashboard. */
  user: async ({ app, tab }, use) => {
    const user = new TabUser(tab);
    await tab.open(app.url);
    await user.click("button", "Sign in with Twitch");
    await user.click("button", "Avery Admin");
    await user.expectText("Welcome back", ...SCREEN);
    await use(user);
  },
});

test("a VOD is archived once its rights are confirmed, and found", async ({ user }) => {
  await user.click("link", "Upload Monitor");
  await user.click("button", "New archive");
  await user.type(ONE_MINUTE, "textbox", "Video address or VOD number");
  await user.click("button", "Preview");
  await user.expectText("PixelPilot", "region", "Preview");
  await user.expectDisabled("button", "Archive", ["dialog", "New archive"]);
  await user.click("checkbox", "I confirm that we hold the rights");
  await user.click("button", "Archive", ["dialog", "New archive"]);
  await user.expectAbsent("dialog", "New archive");
  await user.expectText("Completed", "row", ONE_MINUTE);

  await user.click("link", "File Browser");
  await user.type(ONE_MINUTE, "searchbox", "");
  await user.expectText(ONE_MINUTE, "row", ONE_MINUTE);
});

test("a failed upload is retried and deleted, a file uploaded", async ({ app, user }, testInfo) => {
  await startAndAwait(await signedInApi(app), SUBSCRIBERS_ONLY, "failed");
  await user.click("link", "Failed Uploads");
  // The dashboard may have read the list before the upload failed.
  await user.click("button", "Refresh");
  await user.expectText("Twitch shows this VOD to subscribers only.", "row", SUBSCRIBERS_ONLY);
  await user.click("button", "Retry", ["row", SUBSCRIBERS_ONLY]);
  await user.expectText(/\b1\/\d/, "row", SUBSCRIBERS_ONLY);
  await user.click("button", "Actions for", ["row", SUBSCRIBERS_ONLY]);
  await user.click("menuitem", "Delete");
  await user.click("button", "Delete upload", ["dialog", "Delete upload"]);
  await user.expectText("No failed uploads", ...SCREEN);

  const path = testInfo.outputPath("holiday.mp4");
  await writeFile(path, randomBytes(300_000));
  await user.click("link", "Upload Monitor");
  await user.click("button", "New archive");
  await user.expectText("Drop video files here", "region", "Upload files");
  await user.chooseFile(path);
  await user.expectText("Stored and verified", "region", "Upload files");
  await user.click("button", "Done");
  await user.expectText("Completed", "row", "holiday.mp4");
});

test("an archive plays, and seeks by key and by chat message", async ({ app, user }) => {
  const { filename } = await startAndAwait(await signedInApi(app), WITH_CHAT, "completed");
  await user.click("link", "Upload Monitor");
  await user.click("link", "Watch Sunrise approach", ["row", filename]);
  await user.video("readyState").toBeGreaterThanOrEqual(2);
  await user.video("videoWidth").toBe(1280);
  await user.press("l");
  await user.video("currentTime").toBeCloseTo(10, 0);

  await user.type("LIKE a Whale", "searchbox", "Search chat...");
  await user.expectText(/^\d+ messages found$/m, ...SCREEN);
  await user.click("button", "that cloud looks like a whale");
  await user.video("currentTime").toBeGreaterThan(11);
});

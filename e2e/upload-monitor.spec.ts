import type { Page } from "@playwright/test";
import { streamTicket } from "#contract/auth.ts";
import { cancelUpload, listUploads } from "#contract/uploads.ts";
import { signedInApi, start } from "./fixtures/archives.ts";
import { failCall, holdAnswer } from "./fixtures/answers.ts";
import { expect, test } from "./fixtures/journey.ts";

test.use({ seeded: { users: 30, uploads: 60, files: 0 } });

/** The demonstration's two-hour VOD: still running throughout the test. */
const TWO_HOURS = "2000000001";

const LOST = 'Real-time updates disconnected. Click "Resume Live Updates" to reconnect.';

const rows = (page: Page) => page.getByRole("table", { name: "Uploads" }).locator("tbody > tr");

test.beforeEach(({ bringSession }) => bringSession("Avery Admin"));

test.describe("Live updates", () => {
  test("do not stop the list from being polled", async ({ app, page }) => {
    const api = await signedInApi(app);
    const { id } = await start(api, TWO_HOURS, { again: true });
    await page.goto("/uploads");
    await expect(
      rows(page)
        .first()
        .getByText(/^[1-9]\d*\/720 segments$/),
    ).toBeVisible();
    let polls = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === listUploads.path) polls += 1;
    });
    await expect.poll(() => polls).toBeGreaterThanOrEqual(3);
    await api.expect(cancelUpload, `/admin/uploads/${id}/cancel`);
  });

  test("add a new upload on top, and update its progress", async ({ app, page }) => {
    await page.goto("/uploads");
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await expect(rows(page)).toHaveCount(20);
    // Polls get no response from here on: updates can only come through the stream.
    const release = await holdAnswer(page, listUploads);
    const api = await signedInApi(app);
    const { id } = await start(api, TWO_HOURS, { again: true });
    const row = rows(page).first();
    await expect(row).toContainText(TWO_HOURS);
    await expect(rows(page)).toHaveCount(20);
    await expect(row.getByText(/^[1-9]\d*\/720 segments$/)).toBeVisible();
    await api.expect(cancelUpload, `/admin/uploads/${id}/cancel`);
    await expect(row.getByText("Cancelled")).toBeVisible();
    await expect(rows(page)).toHaveCount(20);
    release();
  });

  test("disconnect, which a toast reports after 2 s", async ({ app, page, quietConsole }) => {
    // The browser logs each call that fails to connect.
    quietConsole.allow(/Failed to load resource|ERR_CONNECTION/);
    await page.clock.install();
    await page.goto("/uploads");
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    // A busy machine may get there late, and the page's clock does not go back.
    await page.clock.pauseAt(Date.now() + 30_000);
    await app.stop();
    try {
      await expect(page.getByText("Connecting...", { exact: true })).toBeVisible();
      // The console reconnects once after a second, in case the service has restarted.
      await page.clock.runFor(1_000);
      await expect(page.getByText("Disconnected", { exact: true })).toBeVisible();
      await expect(page.getByRole("button", { name: "Resume Live Updates" })).toBeVisible();
      await page.clock.runFor(1_900);
      await expect(page.getByText(LOST)).toHaveCount(0);
      await page.clock.runFor(200);
      await expect(page.getByText(LOST)).toBeVisible();
    } finally {
      await app.start();
    }
    await page.getByRole("button", { name: "Resume Live Updates" }).click();
    await page.clock.resume();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
  });

  test("that are resumed within 2 s show no toast", async ({ page, quietConsole }) => {
    quietConsole.allow(/Failed to load resource/);
    await page.clock.install();
    await page.goto("/uploads?live=paused");
    await expect(rows(page)).toHaveCount(20);
    await page.clock.pauseAt(Date.now() + 60_000);
    await failCall(page, streamTicket);
    const refused = page.waitForResponse(`**${streamTicket.path}`);
    await page.getByRole("button", { name: "Resume Live Updates" }).click();
    await refused;
    await expect(page.getByText(/^Reconnecting/)).toBeVisible();
    await expect(page).not.toHaveURL(/live=paused/);
    await page.clock.runFor(1_000);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Resume Live Updates" }).click();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await page.clock.runFor(2_000);
    expect(await page.evaluate(() => window.toastTexts)).not.toContainEqual(
      expect.stringContaining(LOST),
    );
  });
});

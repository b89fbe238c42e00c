import type { Page } from "@playwright/test";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { expect, test } from "./fixtures/journey.ts";
import { expectToast } from "./fixtures/seen.ts";

const save = (page: Page) => page.getByRole("button", { name: "Save Changes" });
const telegramId = (page: Page) => page.getByLabel("Telegram User ID");

/** Opens another screen by the navigation, which is a dialog on phones. */
async function goByNavigation(page: Page, screen: string): Promise<void> {
  const menu = page.getByRole("button", { name: "Open navigation" });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: screen }).click();
}

test.beforeEach(async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await page.goto("/notifications");
  await expect(page.getByRole("heading", { name: "Event Notifications" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Upload completed" })).toBeVisible();
});

test("unsaved edits show a warning, are saved once and persist", async ({ page }) => {
  await expect(save(page)).toBeDisabled();
  await expect(page.getByText(/You have unsaved changes/)).toHaveCount(0);
  const toggle = page
    .getByRole("group", { name: "Channels for Upload completed" })
    .getByRole("switch", { name: "Browser" });
  await toggle.check();
  await expect(page.getByText(/You have unsaved changes/)).toBeVisible();
  await toggle.uncheck();
  await expect(save(page)).toBeDisabled();
  await toggle.check();
  await page.getByLabel("Email Address").fill("avery@example.org");
  // The banner stays in sight, and would cover half a button of what was scrolled.
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page);
  const request = page.waitForRequest(
    (one) => one.method() === "PUT" && one.url().endsWith("/preferences"),
  );
  await save(page).click();
  const body: unknown = (await request).postDataJSON();
  expect(body).toHaveProperty("preferences.email", "avery@example.org");
  expect(body).not.toHaveProperty("preferences.telegramUserId");
  await expectToast(page, "Notification preferences updated successfully");
  await expect(save(page)).toBeDisabled();
  await expect(page.getByText(/You have unsaved changes/)).toHaveCount(0);
  await page.reload();
  await expect(toggle).toBeChecked();
  await expect(page.getByLabel("Email Address")).toHaveValue("avery@example.org");
});

test("Telegram can be set up as instructed", async ({ page, context, quietConsole }) => {
  // This journey includes refused calls.
  quietConsole.allow(/Failed to load resource/);
  const sendTest = page.getByRole("button", { name: "Test Telegram" });
  await expect(sendTest).toBeDisabled();
  await telegramId(page).fill("   ");
  await sendTest.click();
  await expect(page.getByText("Please enter a Telegram User ID first").first()).toBeVisible();

  const opened = context.waitForEvent("page");
  await page.getByRole("link", { name: "@vodkeep_bot" }).click();
  const chat = await opened;
  const id = await chat.locator("code").first().innerText();
  await telegramId(page).fill(id);
  await sendTest.click();
  await expectToast(page, /Open a chat with the bot and press Start/);

  await chat.getByRole("button", { name: "Start" }).click();
  await chat.getByRole("button", { name: "Send" }).click();
  await expect(
    chat
      .frameLocator("iframe")
      .getByText(new RegExp(`^(?!/myid).*${id}`))
      .first(),
  ).toBeVisible();
  await sendTest.click();
  await expectToast(page, "Test message sent to Telegram successfully!");
  await expect(
    chat
      .frameLocator("iframe")
      .getByText(/^\[PREVIEW\] /)
      .first(),
  ).toBeVisible();
});

test("a test event reaches the bell and the delivery log", async ({ page }) => {
  await page.getByRole("button", { name: "Test Upload failed" }).click();
  await expectToast(page, "Test notification sent successfully!");
  const log = page.getByRole("table", { name: "Delivery log" });
  const newest = log.locator("tbody tr").first();
  await expect(newest).toContainText("Test: Upload failed");
  await expect(newest).toContainText("Delivered");
  await page.getByRole("button", { name: /^Notifications, \d+ unread$/ }).click();
  await expect(
    page
      .getByRole("region", { name: "Notifications and messages" })
      .getByText("Test: Upload failed")
      .first(),
  ).toBeVisible();
});

test("a critical event without a channel shows a warning", async ({ page, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  const group = page.getByRole("group", { name: "Channels for Budget spent" });
  await group.getByRole("switch", { name: "Browser" }).uncheck();
  await expect(page.getByText("No channel is on.")).toBeVisible();
  await save(page).click();
  await expect(save(page)).toBeDisabled();
  await page.getByRole("button", { name: "Test Budget spent" }).click();
  await expectToast(page, /channel/i);
});

test("leaving with unsaved edits asks for confirmation", async ({ page }) => {
  await page.getByLabel("Telegram Username").fill("@avery");
  await goByNavigation(page, "Users");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("Leave without saving?")).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByLabel("Telegram Username")).toHaveValue("@avery");
  await goByNavigation(page, "Users");
  await dialog.getByRole("button", { name: "Leave" }).click();
  await expect(page.getByRole("heading", { name: "Users" })).toBeVisible();
});

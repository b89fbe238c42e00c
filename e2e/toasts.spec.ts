import type { Page } from "@playwright/test";
import { clearCache } from "#contract/system.ts";
import { failCall } from "./fixtures/answers.ts";
import { expect, test } from "./fixtures/journey.ts";

test.use({ scene: "toasts" });

const toasts = (page: Page) =>
  page.getByRole("region", { name: "Messages", includeHidden: true }).getByRole("listitem");

test("toasts stand at the top right, 20 at most, successes for 2 s and errors for 4 s", async ({
  page,
  signIn,
  quietConsole,
}) => {
  quietConsole.allow(/Failed to load resource/);
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  await page.clock.install();
  await page.goto("/system");
  await expect(page.getByText("5 namespaces active")).toBeVisible();
  await page.clock.pauseAt(Date.now() + 10_000);
  const clear = page.getByRole("button", { name: "Clear Cache" });
  await clear.focus();
  // By keyboard, since a toast stays while the pointer is over it.
  for (let count = 1; count <= 20; count += 1) {
    await page.keyboard.press("Enter");
    await expect(toasts(page)).toHaveCount(count);
    await expect(clear).not.toHaveAttribute("aria-busy");
  }
  const oldest = await toasts(page).last().elementHandle();
  await page.keyboard.press("Enter");
  await expect.poll(() => oldest?.evaluate((toast) => toast.isConnected)).toBe(false);
  await expect(toasts(page)).toHaveCount(20);
  const box = async () => toasts(page).first().boundingBox();
  // The toast slides into place.
  await expect.poll(async () => (await box())?.y).toBeLessThan(40);
  const { x, width } = (await box()) ?? { x: 0, width: 0 };
  expect(x + width).toBeGreaterThan(1_200);
  await page.clock.runFor(1_900);
  await expect(toasts(page)).toHaveCount(20);
  await page.clock.runFor(200);
  await expect(toasts(page)).toHaveCount(0);

  await failCall(page, clearCache);
  await page.keyboard.press("Enter");
  await expect(toasts(page)).toHaveText(["Failed to clear cache"]);
  await page.clock.runFor(3_900);
  await expect(toasts(page)).toHaveCount(1);
  await page.clock.runFor(200);
  await expect(toasts(page)).toHaveCount(0);
});

test("a toast dismissed by keyboard hands the focus back and keeps no other from leaving", async ({
  page,
  signIn,
}) => {
  await signIn("Avery Admin");
  await page.goto("/system");
  await expect(page.getByText("5 namespaces active")).toBeVisible();
  const clear = page.getByRole("button", { name: "Clear Cache" });
  await clear.click();
  const dismiss = toasts(page).getByRole("button", { name: "Dismiss message" });
  await dismiss.focus();
  await page.keyboard.press("Enter");
  await expect(toasts(page)).toHaveCount(0);
  await expect(clear).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(toasts(page)).toHaveCount(1);
  await expect(toasts(page)).toHaveCount(0);
});

test("every call is given up after 10 s", async ({ page, signIn }) => {
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  await page.addInitScript(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => {
      document.documentElement.dataset["giveUpAfter"] = String(ms);
      return timeout(ms);
    };
  });
  await page.goto("/system");
  await expect(page.getByText("5 namespaces active")).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("data-give-up-after", "10000");
});

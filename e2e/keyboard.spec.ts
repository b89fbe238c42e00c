import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./fixtures/journey.ts";

test.use({ scene: "keyboard" });

/** Paced, so that it is still running when it is cancelled. */
const TWO_HOURS = "2000000001";
const ONE_MINUTE = "2000000002";

/** No screen needs more Tab presses than this to reach anything. */
const MAX_TABS = 60;

async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Not reached by ${MAX_TABS} presses of Tab: ${target.toString()}`);
}

async function archive(page: Page, vodId: string): Promise<void> {
  await tabTo(page, page.getByRole("button", { name: "New archive" }).first());
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("textbox")).toBeFocused();
  await page.keyboard.type(vodId);
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("PixelPilot").first()).toBeVisible();
  await tabTo(page, dialog.getByRole("checkbox"));
  await page.keyboard.press("Space");
  await tabTo(page, dialog.getByRole("button", { name: "Archive" }));
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
}

test("sign in, archive, cancel, inspect and play by keyboard alone", async ({ page }) => {
  await page.goto("/");
  await tabTo(page, page.getByRole("button", { name: "Sign in with Twitch" }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("button", { name: /Avery Admin/ }));
  await page.keyboard.press("Enter");
  await tabTo(page, page.getByRole("link", { name: "Upload Monitor" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Upload Monitor" })).toBeVisible();

  await archive(page, TWO_HOURS);
  const running = page.getByRole("row", { name: new RegExp(TWO_HOURS) }).first();
  await expect(running.getByText("Processing")).toBeVisible();
  await tabTo(page, running.getByRole("button", { name: /Actions for/ }));
  await page.keyboard.press("Enter");
  const cancel = page.getByRole("menuitem", { name: "Cancel" });
  while (!(await cancel.evaluate((element) => element === document.activeElement)))
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(running.getByText("Cancelled")).toBeVisible();

  await archive(page, ONE_MINUTE);
  const done = page.getByRole("row", { name: new RegExp(ONE_MINUTE) }).first();
  await expect(done.getByText("Completed")).toBeVisible({ timeout: 30_000 });

  await tabTo(page, done.getByRole("button", { name: /debug/i }));
  await page.keyboard.press("Enter");
  await expect(page.getByText(ONE_MINUTE, { exact: true })).toBeVisible();

  await tabTo(page, done.getByRole("button", { name: /Actions for/ }));
  await page.keyboard.press("Enter");
  const play = page.getByRole("menuitem", { name: "Play" });
  while (!(await play.evaluate((element) => element === document.activeElement)))
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const video = page.locator("video");
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.duration))
    .toBeCloseTo(60, 0);
  await tabTo(page, video);
  await page.keyboard.press("Space");
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(0);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
});

import type { Locator, Page } from "@playwright/test";
import { awaitStatus, signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expectToast } from "./fixtures/seen.ts";
import { expect, test } from "./fixtures/journey.ts";

/** Slow enough to still be running when it is cancelled. */
const TWO_HOURS = "2000000001";
const ONE_MINUTE = "2000000002";
/** Sub-only: usher refuses every retry. */
const SUB_ONLY = "2000001060";

/** No screen needs more Tab presses than this to reach anything. */
const MAX_TABS = 120;

async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Not reached by ${MAX_TABS} presses of Tab: ${target.toString()}`);
}

/** Opens a menu and chooses an item. */
async function choose(page: Page, trigger: Locator, name: string): Promise<void> {
  await tabTo(page, trigger);
  await page.keyboard.press("Enter");
  const item = page.getByRole("menuitem", { name });
  await expect(item).toBeVisible();
  while (!(await item.evaluate((element) => element === document.activeElement)))
    await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
}

/** Uses the command palette, wherever the focus is. */
async function goTo(page: Page, screen: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: /^Search screens/ })).toBeFocused();
  await page.keyboard.type(screen);
  await expect(page.getByRole("option", { name: screen }).first()).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
}

/** The rights to a channel are confirmed once, and remembered. */
async function archive(page: Page, vodId: string, rights: "confirm" | "known"): Promise<void> {
  await tabTo(page, page.getByRole("button", { name: "New archive" }).first());
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("textbox")).toBeFocused();
  await page.keyboard.type(vodId);
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("PixelPilot").first()).toBeVisible();
  if (rights === "confirm") {
    await tabTo(page, dialog.getByRole("checkbox"));
    await page.keyboard.press("Space");
  } else await expect(dialog.getByText(/^You confirmed the rights/)).toBeVisible();
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

  await archive(page, TWO_HOURS, "confirm");
  const running = page.getByRole("row", { name: new RegExp(TWO_HOURS) }).first();
  await expect(running.getByText("Processing")).toBeVisible();
  // Cancelling removes the thumbnail: a request that is still under way would get a 404.
  await expect(running.locator("img")).toHaveJSProperty("complete", true);
  await choose(page, running.getByRole("button", { name: /Actions for/ }), "Cancel");
  await expect(page.getByRole("button", { name: "Keep it" })).toBeFocused();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(running.getByText("Cancelled")).toBeVisible();

  await archive(page, ONE_MINUTE, "known");
  const done = page.getByRole("row", { name: new RegExp(ONE_MINUTE) }).first();
  await expect(done.getByText("Completed")).toBeVisible();

  await tabTo(page, done.getByRole("button", { name: /debug/i }));
  await page.keyboard.press("Enter");
  await expect(page.getByText(ONE_MINUTE, { exact: true })).toBeVisible();

  await choose(page, done.getByRole("button", { name: /Actions for/ }), "Watch");
  const video = page.locator("video");
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.duration))
    .toBeCloseTo(60, 0);
  await tabTo(page, page.getByRole("button", { name: "Play" }));
  await page.keyboard.press("Space");
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(0);
});

test("retry one and many failed uploads by keyboard alone", async ({ app, page, signIn }) => {
  const api = await signedInApi(app);
  const failed = [];
  for (let count = 0; count < 3; count += 1)
    failed.push(await startAndAwait(api, SUB_ONLY, "failed", { again: true }));
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();

  await goTo(page, "Failed Uploads");
  const rows = page.getByRole("row", { name: new RegExp(SUB_ONLY) });
  await expect(rows).toHaveCount(3);
  await tabTo(page, rows.first().getByRole("button", { name: /^Retry/ }));
  await page.keyboard.press("Enter");
  await expectToast(page, "Upload retry initiated");
  for (const { id } of failed.slice(2)) await awaitStatus(api, id, "failed", 1);
  await page.keyboard.press("r");
  await expect(rows).toHaveCount(3);
  // The focused row disappeared while its upload was pending, and focus moved to the list.
  await tabTo(page, page.getByRole("checkbox", { name: "Select all on this page" }));
  await page.keyboard.press("Space");
  await tabTo(page, page.getByRole("button", { name: "Retry Selected (3)" }));
  await page.keyboard.press("Enter");
  await expectToast(page, "Retry initiated for 3 uploads");
});

test("grant, delete a file and save settings by keyboard alone", async ({ app, page, signIn }) => {
  await startAndAwait(await signedInApi(app), ONE_MINUTE, "completed", { again: true });
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();

  await goTo(page, "Users");
  const pilot = page.getByRole("row", { name: /@pixelpilot/ });
  const dialog = page.getByRole("dialog");
  await choose(page, pilot.getByRole("button", { name: /^Actions for/ }), "Manage Permissions");
  await tabTo(page, dialog.getByRole("checkbox", { name: /read:uploads/ }));
  await page.keyboard.press("Space");
  await tabTo(page, dialog.getByRole("button", { name: "Save Changes" }));
  await page.keyboard.press("Enter");
  await expectToast(page, "Permissions updated successfully");
  await expect(pilot.getByRole("button", { name: /^Actions for/ })).toBeFocused();

  await goTo(page, "File Browser");
  const file = page.getByRole("row", { name: new RegExp(ONE_MINUTE) }).first();
  await choose(page, file.getByRole("button", { name: /^Actions for/ }), "Delete");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await tabTo(page, dialog.getByRole("button", { name: "Delete file" }));
  await page.keyboard.press("Enter");
  await expectToast(page, /^File deleted: /);
  await expect(page.getByRole("heading", { name: "R2 File Browser" })).toBeFocused();

  await goTo(page, "Notifications");
  await tabTo(page, page.getByRole("switch").first());
  await page.keyboard.press("Space");
  await page.keyboard.press("Shift+Tab");
  await tabTo(page, page.getByRole("button", { name: "Save Changes" }));
  await page.keyboard.press("Enter");
  await expectToast(page, "Notification preferences updated successfully");
});

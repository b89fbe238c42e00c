import type { Page } from "@playwright/test";
import { SIGN_IN_TOO_OLD } from "#contract/errors.ts";
import { setPermissions } from "#contract/users.ts";
import { failCall } from "./fixtures/answers.ts";
import { actionOf, expectToast } from "./fixtures/seen.ts";
import { expect, test } from "./fixtures/journey.ts";
import { signInElsewhere } from "./fixtures/sign-in.ts";

/** More than one page of users and of files. */
test.use({ seeded: { users: 45, uploads: 0, files: 60 } });

const rowOf = (page: Page, login: string) =>
  page.getByRole("row", { name: new RegExp(`@${login}`) });

test.beforeEach(async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await page.goto("/users");
  await expect(page.getByRole("heading", { name: "Users" })).toBeVisible();
});

async function openMenu(page: Page, login: string, item: string): Promise<void> {
  await rowOf(page, login)
    .getByRole("button", { name: /Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: item }).click();
}

test("permissions granted by checkbox take effect immediately", async ({ app, browser, page }) => {
  const mo = await signInElsewhere(browser, app.url, "Mo Moderator");
  await expect(mo.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  await page.goto("/users?search=mo_moderator");
  await openMenu(page, "mo_moderator", "Manage Permissions");
  const dialog = page.getByRole("dialog");
  const boxes = dialog.getByRole("checkbox");
  await expect(boxes).toHaveCount(7);
  for (const words of [
    "View upload logs and status",
    "Retry, cancel, modify uploads",
    "Permanently delete upload records",
    "View accounts",
    "Ban, unban, modify accounts",
    "View metrics and logs",
    "Clear cache, restart services, manage system",
  ])
    await expect(dialog.getByText(words)).toBeVisible();
  await dialog.getByRole("checkbox", { name: /read:uploads/ }).check();
  await dialog.getByRole("checkbox", { name: /read:users/ }).check();
  await expect(dialog.getByText("This makes them an administrator.")).toBeVisible();
  await dialog.getByRole("button", { name: "Save Changes" }).click();
  await expectToast(page, "Permissions updated successfully");
  await expect(rowOf(page, "mo_moderator")).toContainText("2 permissions");

  await mo.goto("/users?search=avery");
  await rowOf(mo, "avery_admin")
    .getByRole("button", { name: /Actions for/ })
    .click();
  await expect(mo.getByText("You need the write:users permission").first()).toBeVisible();
  await mo.goto("/files");
  await expect(await actionOf(mo.locator("tbody tr").first(), "Delete")).toBeDisabled();
  await mo.context().close();

  await openMenu(page, "mo_moderator", "Manage Permissions");
  await dialog.getByRole("button", { name: "None" }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(rowOf(page, "mo_moderator")).toContainText("2 permissions");
});

test("a change may need a recent sign-in @wide", async ({ app, browser, page, quietConsole }) => {
  await (await signInElsewhere(browser, app.url, "Nina Nobody")).context().close();
  quietConsole.allow(/Failed to load resource/);
  await failCall(page, setPermissions, {
    status: 403,
    code: "forbidden",
    message: "Sign in again to do this: your last sign-in was too long ago.",
    details: { [SIGN_IN_TOO_OLD]: "is older than 5 minutes" },
  });
  await page.goto("/users?search=nina_nobody");
  await openMenu(page, "nina_nobody", "Manage Permissions");
  await page.getByRole("checkbox", { name: /read:users/ }).check();
  await page.getByRole("button", { name: "Save Changes" }).click();
  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Sign in with Twitch" }).click();
  await page.getByRole("button", { name: "Avery Admin" }).click();
  await page.getByRole("button", { name: "Return" }).click();
  await expect(page).toHaveURL(/\/users\?search=nina_nobody$/);
});

test("a ban takes an optional reason, and can be cancelled", async ({ app, browser, page }) => {
  const bram = await signInElsewhere(browser, app.url, "Bram Banned");
  await expect(bram.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  await page.goto("/users?search=bram_banned");
  const row = rowOf(page, "bram_banned");
  const dialog = page.getByRole("dialog");

  await openMenu(page, "bram_banned", "Ban User");
  await expect(dialog.getByText("@bram_banned · Twitch ID 1004")).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(row.getByText("Active")).toBeVisible();

  await openMenu(page, "bram_banned", "Ban User");
  await dialog.getByLabel("Reason (optional)").fill("   ");
  const request = page.waitForRequest(/\/ban$/);
  await dialog.getByRole("button", { name: "Ban User" }).click();
  expect((await request).postDataJSON()).toEqual({});
  await expectToast(page, "User banned successfully");
  await expect(row.getByText("Banned", { exact: true })).toBeVisible();
  await bram.reload();
  await expect(bram.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
  await bram.context().close();

  await openMenu(page, "bram_banned", "Unban User");
  await expect(dialog.getByText("Are you sure you want to unban Bram Banned?")).toBeVisible();
  await dialog.getByRole("button", { name: "Unban User" }).click();
  await expectToast(page, "User unbanned successfully");
  await expect(row.getByText("Active")).toBeVisible();

  await openMenu(page, "bram_banned", "Ban User");
  await dialog.getByLabel("Reason (optional)").fill("Uploads what is not theirs");
  await dialog.getByRole("button", { name: "Ban User" }).click();
  await expect(row.getByText("Uploads what is not theirs")).toBeVisible();
});

test("a user signed out everywhere can sign in again @wide", async ({ app, browser, page }) => {
  const nina = await signInElsewhere(browser, app.url, "Nina Nobody");
  await expect(nina.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  await page.goto("/users?search=nina_nobody");
  await openMenu(page, "nina_nobody", "Sign Out Everywhere");
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByText("Are you sure you want to end all sessions of Nina Nobody?"),
  ).toBeVisible();
  await dialog.getByRole("button", { name: "Sign Out Everywhere" }).click();
  await expectToast(page, "User signed out everywhere");
  await nina.reload();
  await expect(nina.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
  await nina.context().close();
  const again = await signInElsewhere(browser, app.url, "Nina Nobody");
  await expect(again.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  await again.context().close();
});

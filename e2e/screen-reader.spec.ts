import type { Page } from "@playwright/test";
import { deleteUpload } from "#contract/uploads.ts";
import { failCall } from "./fixtures/answers.ts";
import { signedInApi, start } from "./fixtures/archives.ts";
import { listen, type ScreenReader } from "./fixtures/screen-reader.ts";
import { expect, test } from "./fixtures/journey.ts";

/** What a screen reader says, and where the focus goes (docs/decisions/0078-what-is-announced.md). */
test.use({ seeded: { users: 30, uploads: 600, files: 0 } });

/** One minute, at full speed. */
const ONE_MINUTE = "2000000002";
const SUB_ONLY = "2000001060";
const LOST = 'Real-time updates disconnected. Click "Resume Live Updates" to reconnect.';

const uploads = (page: Page) =>
  page.getByRole("table", { name: "Uploads" }).locator("tbody > tr").first();

let reader: ScreenReader;

async function open(page: Page, path: string, ready: string | RegExp): Promise<void> {
  await page.goto(path);
  await expect(page.getByText(ready).first()).toBeVisible();
  await reader.forget();
}

test.beforeEach(async ({ bringSession, page }) => {
  reader = await listen(page);
  await bringSession("Avery Admin");
});

test("opening another screen announces its title and focuses its heading", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  await expect(page.getByText("Successfully logged in!")).toHaveCount(0);
  await page.getByRole("link", { name: "System", exact: true }).focus();
  // The link has the same name as the heading.
  await reader.forget();
  await page.keyboard.press("Enter");
  await reader.saysAmongOthers("focus: System", "title: System · Vodkeep Preview Admin");
});

test("the start and end of an upload are announced, not its progress", async ({ app, page }) => {
  await open(page, "/uploads", /^Showing 1 to 20 of 600 results$/);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await reader.forget();
  const api = await signedInApi(app);
  await start(api, ONE_MINUTE, { again: true });
  const heard = await reader.saysAmongOthers(
    /^polite: .*2000000002.*: Completed/,
    "polite: Showing 1 to 20 of 601 results",
  );
  expect(heard.join("\n")).not.toMatch(/%|segments/);
  await start(api, SUB_ONLY, { again: true });
  await reader.saysAmongOthers(/^polite: .*2000001060.*: Failed/);
});

test("a search announces the number of results, and another page its range", async ({ page }) => {
  await open(page, "/uploads?live=paused", /^Showing 1 to 20 of/);
  const next = page.getByRole("button", { name: "Next" });
  await next.focus();
  await page.keyboard.press("Enter");
  await reader.says("focus: Next", /^polite: Showing 21 to 40 of 60\d results$/);

  const search = page.getByPlaceholder("Search uploads by filename, user, or title...");
  await search.focus();
  await reader.forget();
  await search.fill("karaoke retro chess");
  await reader.saysAmongOthers(/^polite: Showing 1 to \d+ of \d+ results?/);
  await search.fill("no upload is called this");
  await reader.says("polite: No uploads found Try adjusting your search or filter Clear filters");

  await open(page, "/users", /^Showing 1 to 20/);
  await page.getByPlaceholder("Search users by name, email, or Twitch ID...").fill("avery_admin");
  await reader.saysAmongOthers("polite: 1 user");
});

test("a selection and the start and end of a bulk retry are announced", async ({ page }) => {
  await open(page, "/uploads/failed", /^Showing 1 to 20/);
  const rows = page.getByRole("table", { name: "Failed uploads" }).locator("tbody > tr");
  const retryable = rows.filter({ has: page.getByRole("button", { name: /^Retry/ }) });
  for (const index of [0, 1]) await retryable.nth(index).getByRole("checkbox").check();
  await reader.saysAmongOthers("polite: 2 selected");
  await page.getByRole("button", { name: "Retry Selected (2)" }).click();
  await reader.saysAmongOthers("polite: Retrying uploads", "polite: Retry initiated for 2 uploads");
});

test("a dialog announces its question, and returns focus once closed", async ({ page }) => {
  await open(page, "/uploads?live=paused", /^Showing 1 to 20/);
  const actions = uploads(page).getByRole("button", { name: /^Actions for/ });
  await actions.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await page.keyboard.press("End");
  await expect(page.getByRole("menuitem", { name: "Delete" })).toBeFocused();
  await reader.forget();
  await page.keyboard.press("Enter");
  await reader.saysAmongOthers(
    "dialog: Delete upload. Are you sure you want to delete this upload?",
  );
  await expect(page.getByRole("button", { name: "Cancel" })).toBeFocused();
  await reader.forget();
  await page.keyboard.press("Escape");
  await reader.says(/^focus: Actions for /);
});

test("messages are announced, failures assertively", async ({ page, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  await failCall(page, deleteUpload);
  await open(page, "/uploads?live=paused", /^Showing 1 to 20/);
  await uploads(page)
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete upload" });
  await confirm.focus();
  await reader.forget();
  await page.keyboard.press("Enter");
  await reader.saysAmongOthers(
    "assertive: Failed to delete upload",
    "polite: Failed to delete upload",
  );
  await page.unrouteAll();
  await page.keyboard.press("Enter");
  await reader.saysAmongOthers("polite: Upload deleted");
  // The row that opened the dialog is gone.
  await expect(page.getByRole("heading", { name: "Upload Monitor" })).toBeFocused();
});

test("a lost connection is announced", async ({ app, context, page, quietConsole }) => {
  quietConsole.allow(/Failed to load resource|ERR_CONNECTION|ERR_INTERNET/);
  await open(page, "/uploads", /^Showing 1 to 20/);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await reader.forget();
  await app.stop();
  // Within a second or two of each other: on a busy machine, all may be heard at once.
  await reader.saysAmongOthers("polite: Connecting...", "polite: Disconnected", `polite: ${LOST}`);
  await app.start();
  await reader.saysAmongOthers("polite: Live");

  await page.getByRole("button", { name: "Pause Live Updates" }).click();
  await reader.saysAmongOthers("polite: Disconnected");
  await context.setOffline(true);
  await reader.saysAmongOthers("polite: System Status: Offline");
  await context.setOffline(false);
  await reader.saysAmongOthers("polite: System Status: Online");
});

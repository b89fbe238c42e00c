import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/seeded-journey.ts";
import { sourceSha256 } from "./fixtures/twitch-control.ts";

test.use({ scene: "files" });

const ONE_MINUTE = "2000000002";
/** By the pilot's name, so that no made-up file matches. */
const ONE_MINUTE_FILE = `pixelpilot-${ONE_MINUTE}`;
const HALF_A_MINUTE = "2000000007";

const search = (page: Page) => page.getByPlaceholder("Search files by name or key...");
const rows = (page: Page) => page.getByRole("table", { name: "Stored files" }).locator("tbody tr");

test.beforeEach(async ({ signIn, page }) => {
  await signIn("Avery Admin");
  await page.getByRole("link", { name: "File Browser" }).click();
  await expect(page.getByRole("heading", { name: "R2 File Browser" })).toBeVisible();
});

test("the table has the specified columns, sorted by date, newest first, 25 on a page", async ({
  page,
  expectAccessible,
}) => {
  await expect(page.getByRole("columnheader")).toHaveText([
    "File",
    "User",
    "Type & Status",
    "Size",
    "Modified",
    "Actions",
  ]);
  await expect(rows(page)).toHaveCount(25);
  await expect(page.getByRole("columnheader", { name: "Modified" })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  await expect(page.getByText("Showing 1 to 25 of 60 results")).toBeVisible();
  await expect(page.getByRole("button", { name: "Previous" })).toBeDisabled();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("Showing 51 to 60 of 60 results")).toBeVisible();
  await expect(page.getByRole("button", { name: "Next" })).toBeDisabled();
  await page.goBack();
  await expect(page.getByText("Showing 26 to 50 of 60 results")).toBeVisible();
});

test("the statistics can be hidden, and the address remembers it", async ({ page }) => {
  for (const card of ["Total Files", "Total Size", "Users with Files", "Complete Files"])
    await expect(page.getByText(card, { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Hide Stats" }).click();
  await expect(page.getByText("Total Files", { exact: true })).toBeHidden();
  await page.reload();
  await expect(page.getByRole("button", { name: "Show Stats" })).toBeVisible();
  await expect(page.getByText("Total Files", { exact: true })).toBeHidden();
});

test("a changed filter leads to page 1 after 300 ms, in one request", async ({ page }) => {
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page).toHaveURL(/page=2/);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/r2/browse")) asked.push(new URL(request.url()).search);
  });
  await page.getByLabel("Type", { exact: true }).selectOption("Manual Uploads");
  await page.getByLabel("Status", { exact: true }).selectOption("Complete");
  expect(asked).toEqual([]);
  await expect(page).toHaveURL(/type=manual.*status=complete|status=complete.*type=manual/);
  await expect(page).not.toHaveURL(/page=/);
  await expect(rows(page).first()).toContainText("Manual Upload");
  expect(asked).toHaveLength(1);
  expect(new URLSearchParams(asked[0]).get("page")).toBe("1");
  expect(new URLSearchParams(asked[0]).get("limit")).toBe("25");
  await expect(page.getByText(/matching the filters/).first()).toBeVisible();
});

test("a user is chosen by name, and a search that finds nothing says what to do", async ({
  page,
  expectAccessible,
}) => {
  const users = page.getByLabel("User", { exact: true });
  await expect(users.getByRole("option").first()).toHaveText("All Users");
  const name = await users.getByRole("option").nth(1).innerText();
  await users.selectOption(name);
  await expect(page).toHaveURL(/user=\d+/);
  for (const row of await rows(page).all()) await expect(row).toContainText(name);

  await search(page).fill("no such file anywhere");
  await expect(page.getByText("No files found")).toBeVisible();
  await expect(page.getByText("Try adjusting your search criteria")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect(rows(page)).toHaveCount(25);
  await expect(search(page)).toHaveValue("");
});

test("sorting by size from its header and turning the order around agree with the controls", async ({
  page,
}) => {
  await page.getByRole("button", { name: "Size" }).click();
  await expect(page.getByLabel("Sort by")).toHaveValue("size");
  await expect(page.getByRole("columnheader", { name: "Size" })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  await page.getByRole("button", { name: "Descending" }).click();
  await expect(page).toHaveURL(/sort=size.*order=asc/);
  await expect(page.getByRole("columnheader", { name: "Size" })).toHaveAttribute(
    "aria-sort",
    "ascending",
  );
  await page.getByLabel("Sort by").selectOption("Sort by Name");
  await expect(page.getByRole("columnheader", { name: "File" })).toHaveAttribute(
    "aria-sort",
    "ascending",
  );
});

test("the details show every field, play the video and download it byte for byte", async ({
  app,
  page,
  expectAccessible,
}) => {
  await startAndAwait(await signedInApi(app), ONE_MINUTE, "completed", { again: true });
  await search(page).fill(ONE_MINUTE_FILE);
  await expect(rows(page)).toHaveCount(1);
  await rows(page)
    .first()
    .getByRole("button", { name: /View Details/ })
    .click();
  const dialog = page.getByRole("dialog");
  for (const field of [
    "Filename",
    "Full Key",
    "Size",
    "Last Modified",
    "Upload Type",
    "Status",
    "Username",
    "VOD ID",
  ])
    await expect(dialog.getByText(field, { exact: true })).toBeVisible();
  await expect(dialog.getByText("Twitch VOD", { exact: true })).toBeVisible();
  await expect(dialog.getByText("Complete", { exact: true })).toBeVisible();
  await expect(dialog.locator("pre")).toContainText('"durationSec": 60');
  await expectAccessible(page);

  await dialog.getByRole("button", { name: "Play" }).click();
  const video = page.locator("video");
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.duration))
    .toBeCloseTo(60, 0);

  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  const bytes = await readFile(await (await download).path());
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(
    await sourceSha256(app.twitchUrl, ONE_MINUTE),
  );
  // The address leads to the same details.
  await page.reload();
  await expect(dialog.getByText("VOD ID", { exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page).not.toHaveURL(/file=/);
});

test("an orphaned file can't be downloaded, and its deletion names what it frees", async ({
  app,
  page,
  expectAccessible,
}) => {
  const api = await signedInApi(app);
  const { id } = await startAndAwait(api, HALF_A_MINUTE, "completed", { again: true });
  await page.getByRole("link", { name: "Upload Monitor" }).click();
  const upload = page.getByRole("row", { name: new RegExp(HALF_A_MINUTE) }).first();
  await upload.getByRole("button", { name: /Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete upload" }).click();
  await expect(page.getByText("Upload deleted").first()).toBeVisible();

  await page.getByRole("link", { name: "File Browser" }).click();
  await search(page).fill(id);
  await expect(rows(page)).toHaveCount(1);
  const row = rows(page).first();
  await expect(row.getByText("Orphaned", { exact: true })).toBeVisible();
  await expect(row.getByRole("button", { name: /^Download/ })).toBeDisabled();

  await row.getByRole("button", { name: /^Delete/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByText(
      /^Are you sure you want to delete ".+2000000007.+"\? This action cannot be undone\.$/,
    ),
  ).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(row).toBeVisible();
  await row.getByRole("button", { name: /^Delete/ }).click();
  await dialog.getByRole("button", { name: "Delete file" }).click();
  await expect(page.getByText(/^File deleted: [\d.]+ (?:KB|MB) freed$/).first()).toBeVisible();
  await expect(page.getByText("No files found")).toBeVisible();
});

test("without an answer the screen says so and tries again on request", async ({
  page,
  quietConsole,
}) => {
  // The browser itself notes the broken call.
  quietConsole.allow(/Failed to load resource/);
  await page.route("**/admin/r2/browse*", (route) => route.abort());
  await page.reload();
  await expect(page.getByText("Error Loading Files")).toBeVisible();
  await expect(page.getByText("Failed to load R2 file browser", { exact: true })).toBeVisible();
  await page.unroute("**/admin/r2/browse*");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(rows(page)).toHaveCount(25);
});

test("on a phone in the dark nothing has to be scrolled sideways", async ({
  page,
  expectAccessible,
}) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(rows(page)).toHaveCount(25);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await expectAccessible(page);
  await rows(page)
    .first()
    .getByRole("button", { name: /View Details/ })
    .click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectAccessible(page);
});

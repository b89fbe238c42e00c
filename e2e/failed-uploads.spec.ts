import type { Page } from "@playwright/test";
import { deleteUpload } from "#contract/uploads.ts";
import { failCall } from "./fixtures/answers.ts";
import { expectColumns, expectToast } from "./fixtures/seen.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

/** Enough for more than one page of failed uploads. */
const test = seededWith({ users: 30, uploads: 600, files: 0 });

const rows = (page: Page) =>
  page.getByRole("table", { name: "Failed uploads" }).locator("tbody > tr");
const search = (page: Page) =>
  page.getByPlaceholder("Search failed uploads by filename, user, or error message...");
const deleteSelected = (page: Page) => page.getByRole("button", { name: "Delete Selected" });

test.beforeEach(async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await page.goto("/uploads/failed");
  await expect(rows(page)).toHaveCount(20);
});

test("has the specified cards and columns, 20 rows a page, and a search returns to page 1", async ({
  page,
}) => {
  await expect(page.getByRole("heading", { name: "Failed Uploads" })).toBeVisible();
  for (const card of ["Total Failed", "Can Retry", "Max Retries"])
    await expect(page.getByText(card, { exact: true })).toBeVisible();
  await expectColumns(page.getByRole("table", { name: "Failed uploads" }), [
    "Select all on this page",
    "File Details",
    "Error",
    "Retries",
    "Failed At",
    "Actions",
  ]);
  await expect(page.getByText(/^Showing 1 to 20 of \d+ results$/)).toBeVisible();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText(/^Showing 21 to/)).toBeVisible();
  await search(page).fill("subscribers only");
  await expect(page).toHaveURL(/\?search=subscribers\+only$/);
  await expect(rows(page).first()).toContainText("This VOD is for subscribers only.");
  await search(page).fill("nothing failed like this");
  await expect(page.getByText("No failed uploads")).toBeVisible();
});

test("the selection and its actions stay in view when scrolled", async ({ page }) => {
  const last = rows(page).last();
  await last.getByRole("checkbox").check();
  await expect(page.getByText(/^1 selected/)).toBeInViewport();
  await expect(deleteSelected(page)).toBeInViewport({ ratio: 1 });
  await expect(last).toBeInViewport();
  await page.getByRole("button", { name: "Clear selection" }).click();
  await expect(page.getByText("Nothing selected")).not.toBeInViewport();
});

test("deleting one or many asks the specified question and reports the result", async ({
  page,
  quietConsole,
}) => {
  quietConsole.allow(/Failed to load resource/);
  await rows(page)
    .first()
    .getByRole("button", { name: /^Delete/ })
    .click();
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByText("Are you sure you want to delete this failed upload?", { exact: true }),
  ).toBeVisible();
  await dialog.getByRole("button", { name: "Delete upload" }).click();
  await expectToast(page, "Upload deleted");

  for (const index of [0, 1]) await rows(page).nth(index).getByRole("checkbox").check();
  await deleteSelected(page).click();
  await expect(
    dialog.getByText("Are you sure you want to delete 2 failed uploads?", { exact: true }),
  ).toBeVisible();
  await dialog.getByRole("button", { name: "Delete uploads" }).click();
  await expectToast(page, "Deleted 2 uploads");

  await failCall(page, deleteUpload);
  await rows(page).first().getByRole("checkbox").check();
  await deleteSelected(page).click();
  await dialog.getByRole("button", { name: "Delete uploads" }).click();
  await expectToast(page, "Failed to delete some uploads");
});

import type { Page } from "@playwright/test";
import { deleteUpload } from "#contract/uploads.ts";
import { failCall } from "./fixtures/answers.ts";
import { expectToast } from "./fixtures/seen.ts";
import { expect, test } from "./fixtures/journey.ts";

/** Enough for more than one page of failed uploads. */
test.use({ seeded: { users: 30, uploads: 600, files: 0 } });

const rows = (page: Page) =>
  page.getByRole("table", { name: "Failed uploads" }).locator("tbody > tr");
const deleteSelected = (page: Page) => page.getByRole("button", { name: "Delete Selected" });

test.beforeEach(async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await page.goto("/uploads/failed");
  await expect(rows(page)).toHaveCount(20);
});

test("the selection and its actions stay in view when scrolled", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 600 });
  const last = rows(page).last();
  await last.getByRole("checkbox").check();
  await expect(page.getByText(/^1 selected/)).toBeInViewport();
  await expect(deleteSelected(page)).toBeInViewport({ ratio: 1 });
  await expect(last).toBeInViewport();
  await page.getByRole("button", { name: "Clear selection" }).click();
  await expect(page.getByText("Nothing selected")).not.toBeInViewport();
});

test("deleting one or many asks first and reports the result", async ({ page, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  await rows(page)
    .first()
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
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

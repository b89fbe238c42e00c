import type { Page } from "@playwright/test";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { expectToast } from "./fixtures/seen.ts";
import { expect, test } from "./fixtures/journey.ts";

/** More than one page of users and of files. */
test.use({ seeded: { users: 45, uploads: 0, files: 60 } });

const rows = (page: Page) => page.getByRole("table", { name: "Stored files" }).locator("tbody tr");
const box = (page: Page, index: number) => rows(page).nth(index).getByRole("checkbox");
const deleteSelected = (page: Page) => page.getByRole("button", { name: "Delete Selected" });

test.beforeEach(async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await page.goto("/files");
  await expect(rows(page)).toHaveCount(25);
});

test("selected files are listed, and deleted only once confirmed", async ({ page }) => {
  await expect(deleteSelected(page)).toBeHidden();
  await box(page, 0).check();
  await box(page, 2).click({ modifiers: ["Shift"] });
  await expect(page.getByText(/^3 selected, [\d.]+ \wB/)).toBeVisible();

  await deleteSelected(page).click();
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByText("Are you sure you want to delete 3 files? This action cannot be undone."),
  ).toBeVisible();
  await expect(dialog.getByText(/^[\d.]+ \wB in 3 files$/)).toBeVisible();
  await expect(dialog.getByRole("listitem").first()).toContainText(/complete|partial|orphaned/);
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText(/^3 selected/)).toBeVisible();

  const total = await totalOf(page);
  await deleteSelected(page).click();
  await dialog.getByLabel("Type 3 to confirm").fill("3");
  await dialog.getByRole("button", { name: "Delete 3 files" }).click();
  await expectToast(page, /^Deleted 3 files: [\d.]+ \wB freed$/);
  await expect(deleteSelected(page)).toBeHidden();
  await expect.poll(() => totalOf(page)).toBe(total - 3);
});

test("all matching files can be selected, and a filter clears that", async ({ page }) => {
  const total = await totalOf(page);
  await page.getByLabel("Select all on this page").check();
  await expect(page.getByText(/^25 selected/)).toBeVisible();
  await page.getByRole("button", { name: `Select all ${total} matching` }).click();
  await expect(page.getByText(new RegExp(`^${total} selected`))).toBeVisible();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(box(page, 0)).toBeChecked();
  await page.getByLabel("Type", { exact: true }).selectOption("Manual Uploads");
  await expect(deleteSelected(page)).toBeHidden();
});

async function totalOf(page: Page): Promise<number> {
  const text = await page.getByText(/^Showing \d+ to \d+ of \d+ results$/).innerText();
  return Number(/of (\d+)/.exec(text)?.[1]);
}

import type { Page } from "@playwright/test";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";
import { signInElsewhere } from "./fixtures/sign-in.ts";

const test = seededWith({ users: 45, uploads: 120, files: 60 });

const views = (page: Page) => page.getByRole("button", { name: /^Views$|^View: / });
const item = (page: Page, name: string) => page.getByRole("menuitem", { name });

test.beforeEach(({ bringSession }) => bringSession("Avery Admin"));

async function save(page: Page, name: string): Promise<void> {
  await views(page).click();
  await item(page, "Save this view...").click();
  await page.getByRole("dialog").getByLabel("Name").fill(name);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeHidden();
}

test("a view keeps filters and sorting, and is left by going back", async ({ page }) => {
  await page.goto("/files");
  await views(page).click();
  await expect(item(page, "Save this view...")).toHaveAttribute("aria-disabled", "true");
  await page.keyboard.press("Escape");
  await page.getByLabel("Status", { exact: true }).selectOption("Complete");
  await page.getByRole("button", { name: "Size" }).click();
  await expect(page).toHaveURL(/status=complete/);

  await views(page).click();
  await item(page, "Save this view...").click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await expect(dialog.getByText('Keeps status "complete", sort "size" for you')).toBeVisible();
  await expect(dialog.getByLabel("Name")).toBeFocused();
  await expectAccessible(page);
  await dialog.getByLabel("Name").fill("Largest complete");
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expect(page.getByText("View saved: Largest complete").first()).toBeVisible();
  await expect(views(page)).toHaveText("View: Largest complete");

  await page.goto("/files?type=manual");
  await expect(views(page)).toHaveText("Views");
  await views(page).click();
  await item(page, "Largest complete").click();
  await expect(page).toHaveURL(/status=complete&sort=size/);
  await expect(page.getByLabel("Sort by")).toHaveValue("size");
  await expect(page).not.toHaveURL(/type=/);
  await page.goBack();
  await expect(page).toHaveURL(/type=manual/);
});

test("a view is its owner's in every browser, on its own list", async ({ page, browser, app }) => {
  await page.goto("/uploads?status=completed");
  await save(page, "Done");
  await page.goto("/users");
  await views(page).click();
  await expect(item(page, "Done")).toHaveCount(0);

  const elsewhere = await signInElsewhere(browser, app.url, "Avery Admin");
  await elsewhere.getByRole("link", { name: "Upload Monitor" }).click();
  await views(elsewhere).click();
  await item(elsewhere, "Done").click();
  await expect(elsewhere).toHaveURL(/\/uploads\?status=completed/);
  await elsewhere.context().close();
});

test("a view can be replaced after a warning, and deleted", async ({ page }) => {
  await page.goto("/uploads/failed?search=e");
  await save(page, "Mine");
  await page.goto("/uploads/failed?search=o");
  await views(page).click();
  await item(page, "Save this view...").click();
  await page.getByRole("dialog").getByLabel("Name").fill("Mine");
  await expect(
    page.getByText("You already have a view with this name. It will be replaced."),
  ).toBeVisible();
  await page.getByRole("button", { name: "Replace view" }).click();
  await expect(views(page)).toHaveText("View: Mine");

  await views(page).click();
  await item(page, "Manage views...").click();
  const dialog = page.getByRole("dialog", { name: "Saved views" });
  await expect(dialog.getByText("/uploads/failed?search=o")).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Copy address of Mine" })).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Delete view Mine" }).click();
  await expect(dialog.getByText("There are no saved views for this list.")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(views(page)).toHaveText("Views");
});

test("hidden columns are part of the URL and of a saved view", async ({ page }) => {
  await page.goto("/users");
  const headers = page.getByRole("columnheader");
  await expect(headers).toHaveText(["User", "Role", "Last Login", "Status", "Actions"]);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Role" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Status" }).press("Enter");
  await expect(page.getByRole("menuitemcheckbox", { name: "Status" })).not.toBeChecked();
  await page.keyboard.press("Escape");
  await expect(headers).toHaveText(["User", "Last Login", "Actions"]);
  await expect(page.getByRole("row").nth(1).getByRole("cell")).toHaveCount(3);
  await expect(page).toHaveURL(/hide=role%2Cstatus|hide=role,status/);

  await save(page, "Who was here");
  await page.goto("/users");
  await expect(headers).toHaveCount(5);
  await views(page).click();
  await item(page, "Who was here").click();
  await expect(headers).toHaveCount(3);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Role" }).click();
  await expect(headers).toHaveCount(4);
});

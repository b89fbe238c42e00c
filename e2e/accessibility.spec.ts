import type { Page } from "@playwright/test";
import { expectAccessibleEverywhere } from "./fixtures/every-look.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

/** Other states of the screens are checked as components. */
const test = seededWith({ users: 45, uploads: 300, files: 60 });

/** Each screen with a text that appears once its data have loaded. */
const SCREENS = [
  { path: "/", text: /^View all$/ },
  { path: "/uploads", text: /^Showing 1 to 20 of/ },
  { path: "/uploads/failed", text: /^Showing 1 to/ },
  { path: "/files", text: /^Showing 1 to 25 of/ },
  { path: "/users", text: /^Showing 1 to 20 of/ },
  { path: "/notifications", text: /^Event Notifications$/ },
  { path: "/system", text: /^Storage %$/ },
  { path: "/audit", text: /^session\.open$/ },
] as const;

test.beforeEach(({ bringSession }) => bringSession("Avery Admin"));

for (const { path, text } of SCREENS) {
  test(`${path} is accessible in both themes at every width`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole("main").getByText(text).first()).toBeVisible();
    await expectAccessibleEverywhere(page);
  });
}

test.describe("Dialogs and menus", () => {
  for (const { name, path, open, shown } of [
    {
      name: "the menu of an upload",
      path: "/uploads",
      open: (page: Page) =>
        page
          .getByRole("button", { name: /^Actions for/ })
          .first()
          .click(),
      shown: (page: Page) => page.getByRole("menuitem", { name: "Delete" }),
    },
    {
      name: "the debug panel of an upload",
      path: "/uploads",
      open: (page: Page) => page.getByRole("button", { name: /debug/i }).first().click(),
      shown: (page: Page) => page.getByText(/Internal VOD/i),
    },
    {
      name: "a new archive",
      path: "/uploads",
      open: (page: Page) => page.getByRole("button", { name: "New archive" }).first().click(),
      shown: (page: Page) => page.getByRole("dialog").getByRole("textbox"),
    },
    {
      name: "the question before a failed upload is deleted",
      path: "/uploads/failed",
      open: (page: Page) =>
        page
          .getByRole("table")
          .getByRole("button", { name: /^Delete / })
          .last()
          .click(),
      shown: (page: Page) => page.getByText("Are you sure you want to delete this failed upload?"),
    },
    {
      name: "the details of a file",
      path: "/files",
      open: (page: Page) =>
        page
          .getByRole("button", { name: /^View Details: / })
          .first()
          .click(),
      shown: (page: Page) => page.getByRole("dialog").getByText("Full Key"),
    },
    {
      name: "the question before a file is deleted",
      path: "/files",
      open: (page: Page) =>
        page
          .getByRole("table")
          .getByRole("button", { name: /^Delete: / })
          .first()
          .click(),
      shown: (page: Page) => page.getByText(/This action cannot be undone\.$/),
    },
    {
      name: "the details of a user",
      path: "/users",
      open: (page: Page) => page.getByRole("button", { name: "Avery Admin", exact: true }).click(),
      shown: (page: Page) => page.getByRole("dialog").getByText("delete:uploads"),
    },
    {
      name: "the permissions of a user",
      path: "/users",
      open: (page: Page) => chooseOfLastUser(page, "Manage Permissions"),
      shown: (page: Page) => page.getByRole("dialog").getByRole("checkbox").first(),
    },
    {
      name: "the question before a user is banned",
      path: "/users",
      open: (page: Page) => chooseOfLastUser(page, "Ban User"),
      shown: (page: Page) => page.getByRole("dialog").getByRole("textbox"),
    },
    {
      name: "notifications and messages",
      path: "/system",
      open: (page: Page) => page.getByRole("button", { name: /^Notifications/ }).click(),
      shown: (page: Page) => page.getByText("Messages of this tab"),
    },
    {
      name: "the command palette",
      path: "/system",
      open: (page: Page) => page.keyboard.press("Control+k"),
      shown: (page: Page) => page.getByRole("dialog").getByRole("combobox"),
    },
    {
      name: "the list of shortcuts",
      path: "/system",
      open: (page: Page) => page.keyboard.press("?"),
      shown: (page: Page) => page.getByRole("dialog"),
    },
    {
      name: "the details of an audit entry",
      path: "/audit",
      open: (page: Page) =>
        page
          .getByRole("button", { name: /^Details of entry/ })
          .first()
          .click(),
      shown: (page: Page) => page.getByText("@avery_admin (1001)"),
    },
  ]) {
    test(`${name} is accessible in both themes`, async ({ page }) => {
      await page.goto(path);
      await expect(page.locator("[data-page-title]")).toBeVisible();
      await open(page);
      await expect(shown(page).first()).toBeVisible();
      await expectAccessibleEverywhere(page, [1280, 320]);
    });
  }

  test("the navigation of a phone is accessible in both themes", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 800 });
    await page.goto("/system");
    await page.getByRole("button", { name: "Open navigation" }).click();
    await expect(page.getByRole("link", { name: "Upload Monitor" })).toBeVisible();
    await expectAccessibleEverywhere(page, [320]);
  });

  for (const { tab, text } of [
    { tab: "alerts", text: "No cost alerts" },
    { tab: "thresholds", text: "Budget spent" },
    { tab: "trends", text: "Cost per day" },
  ]) {
    test(`the cost panel's ${tab} are accessible in both themes`, async ({ page }) => {
      await page.goto(`/?cost=${tab}`);
      await expect(page.getByText(text, { exact: true }).first()).toBeVisible();
      await expectAccessibleEverywhere(page, [1280, 320]);
    });
  }
});

async function chooseOfLastUser(page: Page, item: string): Promise<void> {
  await page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name: item }).click();
}

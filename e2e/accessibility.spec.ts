import type { Page } from "@playwright/test";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

const empty = seededWith({ users: 0, uploads: 0, files: 0 });
const full = seededWith({ users: 45, uploads: 300, files: 60 });

/** Each screen with a text that is there once its data are. */
const SCREENS = [
  { path: "/", whenEmpty: /^No recent uploads$/, whenFull: /^View all$/ },
  { path: "/uploads", whenEmpty: /^No uploads found$/, whenFull: /^Showing 1 to 20 of/ },
  { path: "/uploads/failed", whenEmpty: /^No failed uploads$/, whenFull: /^Showing 1 to/ },
  { path: "/files", whenEmpty: /^No files found$/, whenFull: /^Showing 1 to 25 of/ },
  { path: "/users", whenEmpty: /^Avery Admin$/, whenFull: /^Showing 1 to 20 of/ },
  { path: "/notifications", whenEmpty: /^Event Notifications$/, whenFull: /^Event Notifications$/ },
  { path: "/system", whenEmpty: /^Storage %$/, whenFull: /^Storage %$/ },
  { path: "/audit", whenEmpty: /^session\.open$/, whenFull: /^session\.open$/ },
] as const;

const WIDTHS = [1280, 390, 320];

/** A change of theme fades colours in; axe would measure them on their way. */
async function showTheme(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation instanceof CSSTransition) animation.finish();
  });
}

/** Controls too small to be hit; links within a text are as large as its letters. */
function smallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const MIN_PX = 24;
    return [...document.querySelectorAll("button, select, input, textarea, summary, a[href]")]
      .filter((one) => one.checkVisibility() && getComputedStyle(one).display !== "inline")
      .filter((one) => {
        const { width, height } = (one.closest("label") ?? one).getBoundingClientRect();
        return width > 0 && Math.min(width, height) < MIN_PX - 0.01;
      })
      .map((one) => one.outerHTML.slice(0, 120));
  });
}

/**
 * Nothing scrolls sideways at these widths, every control can be hit, and axe finds nothing there
 * in either theme.
 */
async function expectAccessibleEverywhere(
  page: Page,
  expectAccessible: (page: Page) => Promise<void>,
  widths: readonly number[] = WIDTHS,
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const overflowPx = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
    expect(overflowPx, `sideways overflow at ${width} px`).toBe(0);
    expect(await smallTargets(page), `small targets at ${width} px`).toEqual([]);
    for (const theme of ["light", "dark"] as const) {
      await showTheme(page, theme);
      await expectAccessible(page);
    }
  }
}

for (const { test, state } of [
  { test: empty, state: "empty" },
  { test: full, state: "full" },
] as const) {
  test.describe(`Screens, ${state}`, () => {
    test.beforeEach(async ({ signIn, page }) => {
      await signIn("Avery Admin");
      await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
    });

    for (const { path, whenEmpty, whenFull } of SCREENS) {
      test(`${path} is accessible in both themes at every width`, async ({
        page,
        expectAccessible,
      }) => {
        await page.goto(path);
        await expect(
          page
            .getByRole("main")
            .getByText(state === "empty" ? whenEmpty : whenFull)
            .first(),
        ).toBeVisible();
        await expectAccessibleEverywhere(page, expectAccessible);
      });
    }
  });
}

full.describe("Dialogs and menus", () => {
  full.beforeEach(async ({ signIn, page }) => {
    await signIn("Avery Admin");
    await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  });

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
          .getByRole("button", { name: /^Delete/ })
          .last()
          .click(),
      shown: (page: Page) => page.getByText("Are you sure you want to delete this failed upload?"),
    },
    {
      name: "the details of a file",
      path: "/files",
      open: (page: Page) =>
        page
          .getByRole("button", { name: /^View Details of/ })
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
          .getByRole("button", { name: /^Delete / })
          .first()
          .click(),
      shown: (page: Page) => page.getByText(/This action cannot be undone\.$/),
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
    full(`${name} is accessible in both themes`, async ({ page, expectAccessible }) => {
      await page.goto(path);
      await expect(page.getByRole("main").getByRole("heading").first()).toBeVisible();
      await open(page);
      await expect(shown(page).first()).toBeVisible();
      await expectAccessibleEverywhere(page, expectAccessible, [1280, 320]);
    });
  }

  full(
    "the navigation of a phone is accessible in both themes",
    async ({ page, expectAccessible }) => {
      await page.setViewportSize({ width: 320, height: 800 });
      await page.goto("/system");
      await page.getByRole("button", { name: "Open navigation" }).click();
      await expect(page.getByRole("link", { name: "Upload Monitor" })).toBeVisible();
      await expectAccessibleEverywhere(page, expectAccessible, [320]);
    },
  );

  for (const { tab, text } of [
    { tab: "alerts", text: "No cost alerts" },
    { tab: "thresholds", text: "Budget spent" },
    { tab: "trends", text: "Cost a day" },
  ]) {
    full(
      `the cost panel's ${tab} are accessible in both themes`,
      async ({ page, expectAccessible }) => {
        await page.goto(`/?cost=${tab}`);
        await expect(page.getByText(text, { exact: true }).first()).toBeVisible();
        await expectAccessibleEverywhere(page, expectAccessible, [1280, 320]);
      },
    );
  }
});

async function chooseOfLastUser(page: Page, item: string): Promise<void> {
  await page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name: item }).click();
}

import type { Page } from "@playwright/test";
import { callback, validate } from "#contract/auth.ts";
import { holdAnswer } from "./fixtures/answers.ts";
import { expectAccessibleEverywhere } from "./fixtures/every-look.ts";
import {
  grantModerator,
  openAnswered,
  openFailed,
  openLoading,
  openOffline,
  openStale,
} from "./fixtures/screen-states.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

/**
 * Checks each screen in each state except full and empty (see accessibility.spec.ts), in both
 * themes and at every width.
 */
const test = seededWith({ users: 25, uploads: 60, files: 30 });

test.use({ scene: "accessibility of states" });

const SCREENS = [
  "/",
  "/uploads",
  "/uploads/failed",
  "/files",
  "/users",
  "/notifications",
  "/system",
  "/audit",
] as const;

for (const { state, open, screens } of [
  { state: "loading", open: openLoading, screens: SCREENS },
  { state: "failed", open: openFailed, screens: SCREENS },
  // The audit log is not polled, so it cannot be stale.
  { state: "stale", open: openStale, screens: SCREENS.filter((path) => path !== "/audit") },
  // Only a banner more than a complete screen.
  { state: "offline", open: openOffline, screens: ["/"] },
]) {
  test.describe(`Screens, ${state},`, () => {
    for (const path of screens) {
      test(`${path} is accessible`, async ({ bringSession, page, quietConsole }) => {
        // The browser logs each failed call.
        quietConsole.allow(/Failed to load resource/);
        await bringSession("Avery Admin");
        await open(page, path);
        await expectAccessibleEverywhere(page);
      });
    }
  });
}

test.describe("Screens whose filters leave nothing,", () => {
  for (const path of [
    "/uploads?search=zzzz&status=failed",
    "/uploads/failed?search=zzzz",
    "/files?search=zzzz&type=manual",
    "/users?search=zzzz&role=admin",
    "/system?search=zzzz",
    "/audit?search=zzzz&result=refused",
  ]) {
    test(`${path} is accessible`, async ({ bringSession, page }) => {
      await bringSession("Avery Admin");
      await openAnswered(page, path);
      await expect(page.getByRole("button", { name: /^Clear (filters|search)$/ })).not.toHaveCount(
        0,
      );
      await expectAccessibleEverywhere(page);
    });
  }
});

test.describe("Screens of somebody who may only look,", () => {
  test.beforeAll(({ app }) => grantModerator(app, ["read:uploads", "read:users", "read:system"]));

  for (const { path, forbidden } of [
    { path: "/uploads", forbidden: "New archive" },
    { path: "/uploads/failed", forbidden: /^Retry / },
    { path: "/files", forbidden: /^Delete: / },
    { path: "/system", forbidden: "Clear Cache" },
  ]) {
    test(`${path} is accessible`, async ({ bringSession, page }) => {
      await bringSession("Mo Moderator");
      await openAnswered(page, path);
      await expect(
        page.getByRole("main").getByRole("button", { name: forbidden }).last(),
      ).toBeDisabled();
      await expectAccessibleEverywhere(page);
    });
  }

  test("the limits of the costs are accessible", async ({ bringSession, page }) => {
    await bringSession("Mo Moderator");
    await openAnswered(page, "/?cost=thresholds");
    await expect(page.getByText(/^Shown for reading only/)).toBeVisible();
    await expectAccessibleEverywhere(page);
  });

  test("the menu of a user is accessible", async ({ bringSession, page }) => {
    await bringSession("Mo Moderator");
    await openAnswered(page, "/users");
    await page
      .getByRole("button", { name: /^Actions for/ })
      .last()
      .click();
    await expect(page.getByRole("menuitem", { name: "Manage Permissions" })).toBeDisabled();
    await expectAccessibleEverywhere(page);
  });
});

test.describe("Screens of somebody who may not even look,", () => {
  test.beforeAll(({ app }) => grantModerator(app, ["write:users"]));

  for (const path of SCREENS) {
    test(`${path} is accessible`, async ({ bringSession, page }) => {
      await bringSession("Mo Moderator");
      await openAnswered(page, path);
      if (path !== "/notifications")
        await expect(page.getByText("You don't have access to this")).not.toHaveCount(0);
      await expectAccessibleEverywhere(page);
    });
  }
});

test.describe("Gates:", () => {
  for (const { gate, open } of [
    {
      gate: "the check of the session",
      open: async (page: Page) => {
        await holdAnswer(page, validate);
        await page.goto("/");
        await expect(page.getByText("Checking authentication status")).toBeVisible();
      },
    },
    {
      gate: "the login screen",
      open: async (page: Page) => {
        await page.goto("/");
        await expect(page.getByRole("heading", { name: "Admin Portal" })).toBeVisible();
      },
    },
    {
      gate: "the return from Twitch",
      open: async (page: Page) => {
        await holdAnswer(page, callback);
        await page.addInitScript(() => sessionStorage.setItem("sign_in_state", "made-up"));
        await page.goto("/auth/callback?code=made-up&state=made-up");
        await expect(page.getByRole("heading", { name: "Loading..." })).toBeVisible();
      },
    },
  ]) {
    test(`${gate} is accessible`, async ({ page }) => {
      await open(page);
      await expectAccessibleEverywhere(page);
    });
  }

  test("the refusal of somebody without permissions is accessible", async ({
    bringSession,
    page,
  }) => {
    await bringSession("Nina Nobody");
    await page.goto("/");
    await expect(page.getByRole("heading", { name: "Access Denied" })).toBeVisible();
    await expectAccessibleEverywhere(page);
  });
});

import type { Page } from "@playwright/test";
import { valueOf } from "./fixtures/seen.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

const test = seededWith({ users: 45, uploads: 300, files: 60 });

const costs = (page: Page) =>
  page.locator("section").filter({ has: page.getByRole("button", { name: "Costs", exact: true }) });

test.beforeEach(async ({ signIn, page }) => {
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
});

test.describe("Dashboard", () => {
  test("greets the administrator and shows when it was last updated", async ({ page }) => {
    await expect(page.getByText("Welcome back, Avery Admin")).toBeVisible();
    await expect(page.getByText(/^Last updated just now/)).toBeVisible();
  });
});

test.describe("Cost panel", () => {
  test("shows the total, the remaining budget, and the costs of workers and R2 storage", async ({
    page,
  }) => {
    for (const name of ["Total", "Remaining monthly budget", "Workers", "R2 storage"])
      await expect(valueOf(costs(page), name)).toHaveText(/^\$\d+\.\d{2,4}/);
  });
});

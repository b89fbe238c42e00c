import type { Page } from "@playwright/test";
import { gapsOf, takeOverTime } from "./fixtures/page-time.ts";
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
  test("greets the administrator and says when it was last updated", async ({ page }) => {
    await expect(page.getByText("Welcome back, Avery Admin")).toBeVisible();
    await expect(page.getByText(/^Last updated just now/)).toBeVisible();
  });
});

test.describe("Cost panel", () => {
  test("shows the total, the remaining budget, and what workers and R2 storage cost", async ({
    page,
  }) => {
    for (const name of ["Total", "Remaining monthly budget", "Workers", "R2 storage"])
      await expect(valueOf(costs(page), name)).toHaveText(/^\$\d+\.\d{2,4}/);
  });
});

test.describe("Polling of the dashboard", () => {
  test("keeps the specified intervals", { tag: "@calls" }, async ({ page }) => {
    const time = await takeOverTime(page);
    await page.reload();
    await expect(
      page.getByText("All systems operational").or(page.getByText("Performance issues detected")),
    ).toBeVisible();
    await expect(costs(page).getByText("Remaining monthly budget")).toBeVisible();
    const { advance, callsOf } = await time.stop();
    await advance(290_000);
    for (const [path, seconds] of [
      ["/admin/system/metrics", 10],
      ["/admin/uploads", 15],
      ["/admin/dashboard/stats", 30],
      ["/admin/cost-alerts/alerts", 30],
      ["/admin/cost-alerts/breakdown", 60],
    ] as const) {
      const gaps = gapsOf(await callsOf(path));
      expect(gaps.length, path).toBeGreaterThan(1);
      expect(new Set(gaps), path).toEqual(new Set([seconds]));
    }
  });

  test(
    "asks for budgets, thresholds and new alerts every five minutes",
    { tag: "@calls" },
    async ({ page }) => {
      const time = await takeOverTime(page);
      await page.goto("/");
      await expect(costs(page).getByText("this month so far")).toBeVisible();
      const { advance, callsOf } = await time.stop();
      await advance(280_000);
      for (const path of ["budget", "check", "thresholds"])
        expect(await callsOf(`/admin/cost-alerts/${path}`), path).toHaveLength(0);
      await advance(20_000);
      for (const path of ["budget", "check", "thresholds"])
        expect((await callsOf(`/admin/cost-alerts/${path}`)).length, path).toBeGreaterThan(0);
    },
  );
});

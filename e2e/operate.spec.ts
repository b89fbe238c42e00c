import type { Page } from "@playwright/test";
import { card, expectToast } from "./fixtures/seen.ts";
import { expect, test } from "./fixtures/journey.ts";
import { startAndAwait, signedInApi } from "./fixtures/archives.ts";

const ONE_MINUTE = "2000000002";

test.beforeEach(({ bringSession }) => bringSession("Avery Admin"));

test("the dashboard counts uploads, and its figures link to lists", async ({ app, page }) => {
  const api = await signedInApi(app);
  await startAndAwait(api, ONE_MINUTE, "completed");
  await page.goto("/");
  await expect(page.getByText("Welcome back", { exact: true })).toBeVisible();
  await expect(page.getByRole("link", { name: /Total Uploads\s*1\s*\+1 today/ })).toBeVisible();
  await expect(page.getByRole("link", { name: /Active Users\s*1\s*of \d+ total/ })).toBeVisible();
  await expect(page.getByText("All systems operational")).toBeVisible();
  await expect(page.getByRole("img", { name: /Uploads by status: Completed 1/ })).toBeVisible();
  await page.getByRole("link", { name: /Storage Used\s*[1-9].*B.*% of total/ }).click();
  await expect(page).toHaveURL(/\/files$/);
  await page.goBack();
  await page.getByRole("link", { name: /Failed Uploads\s*0\s*0 pending/ }).click();
  await expect(page).toHaveURL(/\/uploads\/failed$/);
});

/** Toasts cover the page's buttons, and stay while the pointer is over them. */
async function untilToastsAreGone(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await expect(page.getByRole("button", { name: "Dismiss message" })).toHaveCount(0);
}

/** The plan's fee accrues to $0.1667 on the first day: above 75% of this budget, below 90%. */
const BUDGET_PAST_TWO_THRESHOLDS = "0.2";
const BUDGET_PAST_ALL_THRESHOLDS = "0.01";

test("a passed threshold raises an alert once, to be acknowledged", async ({ page }) => {
  await page.clock.install();
  await page.goto("/");
  const costs = page.getByRole("button", { name: "Costs", exact: true });
  await costs.click();
  await page.getByRole("tab", { name: "Trends" }).click();
  await expect(page.getByText("Not enough data to project the month.")).toBeVisible();
  await page.getByRole("tab", { name: "Thresholds" }).click();
  await page.getByLabel("Monthly budget (USD)").fill("nothing");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Enter an amount in USD")).toBeVisible();
  await page.getByLabel("Monthly budget (USD)").fill(BUDGET_PAST_TWO_THRESHOLDS);
  await page.getByRole("button", { name: "Save" }).click();
  await expectToast(page, "Budget updated");
  await page.clock.fastForward("05:05");
  await expectToast(page, "2 new cost alerts triggered!");
  await page.getByLabel("Monthly budget (USD)").fill(BUDGET_PAST_ALL_THRESHOLDS);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText(/ of \$0\.01, /)).toBeVisible();

  await page.getByRole("tab", { name: "Alerts" }).click();
  await page.getByRole("button", { name: "Check for new alerts" }).click();
  await expect(page.getByText("4 to acknowledge", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Check for new alerts" }).click();
  await expectToast(page, "No new cost alerts");
  await page.getByRole("button", { name: "Acknowledge Budget spent" }).click();
  await expectToast(page, "Alert acknowledged");
  await expect(page.getByText("3 to acknowledge", { exact: true })).toBeVisible();

  await page.getByRole("tab", { name: "Overview" }).click();
  await expect(page.getByText("Over Budget")).toBeVisible();
  await costs.click();
  await page.reload();
  await expect(costs).toHaveAttribute("aria-expanded", "false");
  await expect(page.getByRole("tab", { name: "Overview" })).toHaveCount(0);
});

test("system actions report success and are recorded in an intact audit log", async ({ page }) => {
  await page.goto("/system");
  await expect(page.getByText("5 namespaces active")).toBeVisible();
  await expect(page.getByText("No error logs found")).toBeVisible();
  await untilToastsAreGone(page);
  await page.getByRole("button", { name: "Clear Cache" }).click();
  await expectToast(page, "Cache cleared successfully");
  await untilToastsAreGone(page);
  await page.getByRole("button", { name: "Restart Workers" }).click();
  await expectToast(page, "Workers restarted successfully");
  await expect(page.getByText(/^Workers restarted: just now.* by Avery Admin/)).toBeVisible();
  await card(page, "Performance Trends").getByRole("button", { name: "Show table" }).click();
  await expect(page.getByRole("columnheader", { name: "Throughput (ops/min)" })).toBeVisible();

  await page.getByRole("link", { name: "Audit Log" }).click();
  await page.getByRole("button", { name: "Verify chain" }).click();
  await expect(page.getByText(/^The chain is intact: \d+ entries verified/)).toBeVisible();
  await page.getByLabel("Action", { exact: true }).selectOption("Cache cleared");
  await expect(page).toHaveURL(/action=cache\.clear/);
  await expect(page.getByRole("row", { name: /Avery Admin Cache cleared/ })).toHaveCount(1);
  const details = page.getByRole("button", { name: /^Details of entry/ });
  await expect(details).toHaveCount(1);
  await details.click();
  await expect(page.getByText("@avery_admin (1001)")).toBeVisible();
  await page.getByLabel("Result", { exact: true }).selectOption("Refused");
  await expect(page.getByText("No entries found")).toBeVisible();
});

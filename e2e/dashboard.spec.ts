import type { Page } from "@playwright/test";
import { budgets, checkAlerts, costAlerts, thresholds } from "#contract/costs.ts";
import { dashboardStats } from "#contract/dashboard.ts";
import { alertIdSchema } from "#contract/ids.ts";
import { systemMetrics } from "#contract/system.ts";
import { listUploads } from "#contract/uploads.ts";
import { alterAnswer, failCall } from "./fixtures/answers.ts";
import { gapsOf, takeOverTime } from "./fixtures/page-time.ts";
import { card, colourOf, valueOf, expectTold } from "./fixtures/seen.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

const test = seededWith({ users: 45, uploads: 300, files: 60 });

const costs = (page: Page) =>
  page.locator("section").filter({ has: page.getByRole("button", { name: "Costs", exact: true }) });

async function openTab(page: Page, name: string): Promise<void> {
  const toggle = page.getByRole("button", { name: "Costs", exact: true });
  if ((await toggle.getAttribute("aria-expanded")) === "false") await toggle.click();
  await page.getByRole("tab", { name }).click();
  await expect(page.getByRole("tab", { name })).toHaveAttribute("aria-selected", "true");
}

test.beforeEach(async ({ signIn, page }) => {
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
});

test.describe("Dashboard", () => {
  test("greets the administrator and says when it was last updated", async ({ page }) => {
    await expect(page.getByText("Welcome back, Avery Admin")).toBeVisible();
    await expect(page.getByText(/^Last updated just now/)).toBeVisible();
  });

  test("four cards count uploads, users, storage and failures", async ({ page }) => {
    await alterAnswer(page, dashboardStats, () => ({
      uploads: { total: 1_300, today: 7, completed: 0, processing: 0, failed: 21, pending: 4 },
      users: { active: 30, total: 45 },
      storage: { used: 3 * 1024 ** 3, percentage: 12.34 },
    }));
    await page.reload();
    for (const text of [
      /^Total Uploads\s*1,300\s*\+7 today(?: Uploads begun a day, .*)?$/,
      /^Active Users\s*30\s*of 45 total(?: Accounts at the end of a day, .*)?$/,
      /^Storage Used\s*3 GB\s*12\.3% of total(?: Most stored on a day, .*)?$/,
      /^Failed Uploads\s*21\s*4 pending(?: Uploads failed a day, .*)?$/,
    ])
      await expect(page.getByRole("link", { name: text })).toBeVisible();
  });

  test("the pie has the four slices, and a table with the same figures", async ({ page }) => {
    await alterAnswer(page, dashboardStats, (stats) => ({
      ...stats,
      uploads: { total: 102, today: 0, completed: 50, processing: 5, failed: 20, pending: 25 },
    }));
    await page.reload();
    const chart = page.getByRole("img", {
      name: "Uploads by status: Completed 50, Processing 5, Failed 20, Pending 25",
    });
    await expect(chart).toBeVisible();
    await expect(page.getByText("2 cancelled uploads not shown")).toBeVisible();
    await card(page, "Upload Status").getByRole("button", { name: "Show table" }).click();
    const rows = page.getByRole("table", { name: "Uploads by status" }).locator("tbody tr");
    await expect(rows).toHaveText([
      /Completed\s*50\s*50%/,
      /Processing\s*5\s*5%/,
      /Failed\s*20\s*20%/,
      /Pending\s*25\s*25%/,
    ]);
  });

  test("the resources show storage, records and environment, each with its status", async ({
    page,
  }) => {
    await alterAnswer(page, systemMetrics, (metrics) => ({
      ...metrics,
      cloudflare: {
        ...metrics.cloudflare,
        r2Storage: { usedGB: 12.5, utilization: "1.3%", status: "healthy" as const },
        d1Database: { totalRecords: 4_321, status: "degraded" as const },
        workers: {
          environment: "preview",
          status: "unhealthy" as const,
          reason: "The archive workers were last heard of 61 s ago.",
        },
      },
    }));
    await page.reload();
    await expect(card(page, "System Resources").getByRole("listitem")).toHaveText([
      /R2 storage\s*12\.5 GB used\s*healthy/,
      /D1 database\s*4,321 total records\s*degraded/,
      /Workers\s*preview\s*The archive workers were last heard of 61 s ago\.\s*unhealthy/,
    ]);
    const health = card(page, "System Health");
    await expect(health.getByText("Performance issues detected")).toBeVisible();
    await expect(health.getByRole("listitem")).toHaveText([
      /uploads have failed, more than/,
      "The workers are unhealthy. The archive workers were last heard of 61 s ago.",
    ]);
    await expect(health.getByRole("link", { name: "Open System" })).toHaveAttribute(
      "href",
      "/system",
    );
  });

  test("a resource that no probe has told of is unknown", async ({ page }) => {
    await alterAnswer(page, systemMetrics, (metrics) => ({
      ...metrics,
      cloudflare: {
        ...metrics.cloudflare,
        workers: { environment: "preview", status: "unknown" as const },
      },
    }));
    await page.reload();
    await expect(
      card(page, "System Resources").getByRole("listitem").filter({ hasText: "Workers" }),
    ).toContainText("unknown");
  });

  test("the five most recent uploads show status, file, title, size, progress and start", async ({
    page,
  }) => {
    await alterAnswer(page, listUploads, (answer) => ({
      ...answer,
      items: answer.items.map((upload, index) =>
        index === 0
          ? {
              ...upload,
              filename: "evening.ts",
              status: "processing" as const,
              progress: 99.9,
              originalSize: 1_536,
              startedAt: new Date(Date.now() - 3 * 3_600_000).toISOString(),
              metadata: { ...upload.metadata, streamTitle: null },
            }
          : upload,
      ),
    }));
    await page.reload();
    const items = card(page, "Recent Uploads").getByRole("listitem");
    await expect(items).toHaveCount(5);
    await expect(items.first()).toHaveText(
      /Processing\s*evening\.ts\s*99%\s*No title\s*1\.5 KB · 3 hr\. ago/,
    );
    await expect(items.last().getByRole("link")).toHaveText(/\.ts$/);
    await expect(items.last()).not.toContainText("No title");
  });

  test("an upload whose size nobody knows yet is not said to be empty", async ({ page }) => {
    await alterAnswer(page, listUploads, (answer) => ({
      ...answer,
      items: answer.items.map((upload) => ({
        ...upload,
        status: "pending" as const,
        originalSize: null,
        processedSize: 0,
      })),
    }));
    await page.reload();
    const items = card(page, "Recent Uploads").getByRole("listitem");
    await expect(items.first()).toContainText("Size unknown");
    await expect(items.first()).not.toContainText("0 Bytes");
  });

  test("without uploads it says so", async ({ page }) => {
    await alterAnswer(page, listUploads, (answer) => ({ ...answer, items: [], total: 0 }));
    await page.reload();
    await expect(page.getByText("No recent uploads")).toBeVisible();
  });

  test("the health card shows uptime, uploads, jobs, storage and the verdict", async ({ page }) => {
    await alterAnswer(page, systemMetrics, (metrics) => ({
      ...metrics,
      uptime: 2 * 86_400 + 3 * 3_600 + 4 * 60 + 5,
      totalUploads: 1_234,
      activeUploads: 2,
      failedUploads: 0,
      cloudflare: {
        ...metrics.cloudflare,
        r2Storage: { usedGB: 7.25, utilization: "5%", status: "healthy" as const },
        workers: { environment: "preview", status: "healthy" as const },
      },
    }));
    await page.reload();
    const health = card(page, "System Health");
    await expect(valueOf(health, "Uptime")).toHaveText("2d 3h 4m");
    await expect(valueOf(health, "Total uploads")).toHaveText("1,234");
    await expect(valueOf(health, "Active jobs")).toHaveText("2");
    await expect(valueOf(health, "Storage used")).toHaveText("7.25 GB");
    await expect(health.getByText("All systems operational")).toBeVisible();
  });

  test("the cost analysis shows trend, daily costs, projection and unit economics", async ({
    page,
  }) => {
    await alterAnswer(page, systemMetrics, (metrics) => ({
      ...metrics,
      costAnalysis: {
        costTrend: "increasing" as const,
        dailyCosts: {
          total: 1.5,
          workers: 0.25,
          r2Storage: 1,
          d1Database: 0.2,
          kvNamespaces: 0.05,
        },
        projectedMonthlyCost: 45,
        unitEconomics: { costPerVod: 0.123_45, costPerUser: 2, costPerGB: 0.015 },
      },
    }));
    await page.reload();
    const analysis = card(page, "Cost Analysis");
    for (const [name, value] of [
      ["Trend", "Increasing"],
      ["Daily cost", "$1.50"],
      ["Monthly projection", "$45.00"],
      ["Workers", "$0.25"],
      ["R2 storage", "$1.00"],
      ["D1 database", "$0.20"],
      ["KV namespaces", "$0.05"],
      ["Cost per VOD", "$0.1235"],
      ["Cost per user", "$2.00"],
      ["Cost per GB", "$0.015"],
    ] as const)
      await expect(valueOf(analysis, name)).toHaveText(value);
  });

  test("without metrics the cost data is not available", async ({ page, quietConsole }) => {
    quietConsole.allow(/Failed to load resource/);
    await failCall(page, systemMetrics);
    await page.reload();
    await expect(page.getByText("Cost data not available")).toBeVisible();
  });
});

test.describe("Cost panel", () => {
  test("is collapsible, and has the tabs Overview, Alerts, Thresholds and Trends", async ({
    page,
  }) => {
    const toggle = page.getByRole("button", { name: "Costs", exact: true });
    await expect(page.getByRole("tab")).toHaveCount(0);
    await toggle.click();
    await expect(page.getByRole("tab")).toHaveText(["Overview", "Alerts", "Thresholds", "Trends"]);
    for (const name of ["Alerts", "Thresholds", "Trends", "Overview"]) await openTab(page, name);
    await toggle.click();
    await expect(toggle).toHaveAttribute("aria-expanded", "false");
    await expect(page.getByRole("tab")).toHaveCount(0);
  });

  test("shows the total, the remaining budget, and what workers and R2 storage cost", async ({
    page,
  }) => {
    for (const name of ["Total", "Remaining monthly budget", "Workers", "R2 storage"])
      await expect(valueOf(costs(page), name)).toHaveText(/^\$\d+\.\d{2,4}/);
  });

  test("the budget bar is green below 75 percent, yellow from there, red from 90", async ({
    page,
  }) => {
    let percentage = 0;
    await alterAnswer(page, budgets, (answer) => ({
      ...answer,
      budgets: answer.budgets.map((budget) => ({ ...budget, percentage })),
    }));
    const bar = page.getByRole("meter", { name: "Monthly budget" });
    for (const [spent, colour] of [
      [74.9, "green"],
      [75, "yellow"],
      [89.9, "yellow"],
      [90, "red"],
    ] as const) {
      percentage = spent;
      await page.reload();
      await expect(bar).toHaveAttribute("aria-valuetext", `${spent}% of the monthly budget spent`);
      await expect.poll(async () => colourOf(bar.locator("div"))).toBe(colour);
    }
  });

  test("the budget's trend reads On Track or Over Budget", async ({ page }) => {
    let onTrack = true;
    await alterAnswer(page, budgets, (answer) => ({
      ...answer,
      budgets: answer.budgets.map((budget) => ({ ...budget, onTrack })),
    }));
    await page.reload();
    await expect(costs(page).getByText("On Track", { exact: true })).toBeVisible();
    onTrack = false;
    await page.reload();
    await expect(costs(page).getByText("Over Budget", { exact: true })).toBeVisible();
  });

  test("a threshold's bar is green below 80 percent, yellow from there, red from 100", async ({
    page,
  }) => {
    const percentages = [79.9, 80, 99.9, 100];
    await alterAnswer(page, thresholds, (list) =>
      list.slice(0, 4).map((threshold, index) => ({
        ...threshold,
        percentage: percentages[index] ?? 0,
      })),
    );
    await page.reload();
    await openTab(page, "Thresholds");
    const bars = page.getByRole("meter", { name: /spent of the limit$/ });
    await expect(bars).toHaveCount(4);
    for (const [index, colour] of ["green", "yellow", "yellow", "red"].entries()) {
      await expect(bars.nth(index)).toHaveAttribute("aria-valuetext", `${percentages[index]}%`);
      await expect.poll(async () => colourOf(bars.nth(index).locator("div"))).toBe(colour);
    }
  });

  test("alerts are red, orange and yellow by severity", async ({ page }) => {
    const types = ["budget_exceeded", "critical", "warning"] as const;
    await alterAnswer(page, costAlerts, () => ({
      unacknowledged: 0,
      alerts: types.map((type) => ({
        id: alertIdSchema.parse(type),
        type,
        thresholdName: "A limit",
        message: "Spending has reached the limit.",
        triggeredAt: new Date().toISOString(),
        acknowledged: true,
        acknowledgedAt: null,
        acknowledgedBy: null,
      })),
    }));
    await page.goto("/?cost=alerts");
    for (const [text, colour] of [
      ["Budget exceeded", "red"],
      ["Critical", "orange"],
      ["Warning", "yellow"],
    ] as const)
      await expect
        .poll(async () => colourOf(page.getByText(text, { exact: true }), "color"))
        .toBe(colour);
  });

  test("an alert can be acknowledged", async ({ page }) => {
    await openTab(page, "Thresholds");
    await page.getByLabel("Monthly budget (USD)").fill("0.01");
    await page.getByRole("button", { name: "Save" }).click();
    await openTab(page, "Alerts");
    await page.getByRole("button", { name: "Check for new alerts" }).click();
    await page.getByRole("button", { name: "Acknowledge Budget spent" }).click();
    await expectTold(page, "Alert acknowledged");
    await expect(page.getByText(/^Acknowledged by Avery Admin/)).toBeVisible();
  });

  test("the check button tells of new alerts in the style of an error", async ({ page }) => {
    await alterAnswer(page, checkAlerts, () => ({ hasNewAlerts: true, alertCount: 3 }));
    await openTab(page, "Alerts");
    await page.getByRole("button", { name: "Check for new alerts" }).click();
    const message = page
      .getByRole("region", { name: "Messages" })
      .getByRole("listitem")
      .filter({ hasText: "3 new cost alerts triggered!" });
    await expect(message).toBeVisible();
    await expect.poll(async () => colourOf(message.locator("svg").first(), "color")).toBe("red");
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

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  clearCache,
  restartWorkers,
  systemLogs,
  systemMetrics,
  type SystemMetrics,
} from "#contract/system.ts";
import { alterAnswer, closeMetricsStream, failCall, holdAnswer } from "./fixtures/answers.ts";
import { gapsOf, takeOverTime } from "./fixtures/page-time.ts";
import { card, valueOf } from "./fixtures/seen.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

const LOGS = [
  { level: "error", message: "The object store is full.", meta: { upload: "seed7", attempt: 3 } },
  { level: "warn", message: "The source answers slowly.", meta: null },
  { level: "info", message: "A plain entry among others.", meta: null },
] as const;

const test = seededWith({ users: 5, uploads: 30, files: 5 }, {}, (dataDir) => {
  using database = new DatabaseSync(join(dataDir, "vodkeep.db"));
  const insert = database.prepare(
    "INSERT INTO logs (level, at, message, meta) VALUES (?, ?, ?, ?)",
  );
  for (const { level, message, meta } of LOGS)
    insert.run(level, Date.now(), message, meta === null ? null : JSON.stringify(meta));
});

type Cloud = SystemMetrics["cloudflare"];

const HEALTHY: Cloud = {
  r2Storage: { usedGB: 12.5, utilization: "80%", status: "healthy" as const },
  d1Database: { totalRecords: 4_321, status: "healthy" as const },
  workers: { environment: "preview", status: "healthy" as const },
  queues: { vodResumeQueue: { status: "healthy" as const } },
};

test.beforeEach(async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await closeMetricsStream(page);
});

test.describe("System Health", () => {
  const states: readonly {
    readonly why: string;
    readonly headline: string;
    readonly failedUploads?: number;
    readonly cloud?: Partial<Cloud>;
  }[] = [
    {
      why: "at 80 percent of the storage and 10 failures",
      headline: "All Systems Operational",
      failedUploads: 10,
    },
    {
      why: "above 80 percent of the storage",
      headline: "Performance Issues Detected",
      cloud: { r2Storage: { usedGB: 12.5, utilization: "80.1%", status: "healthy" as const } },
    },
    {
      why: "with more than 10 failed uploads",
      headline: "Performance Issues Detected",
      failedUploads: 11,
    },
    {
      why: "with workers that are not healthy",
      headline: "Performance Issues Detected",
      cloud: { workers: { environment: "preview", status: "degraded" as const } },
    },
  ];
  for (const { why, headline, failedUploads = 0, cloud } of states) {
    test(`reads "${headline}" ${why} @wide`, async ({ page }) => {
      await alterAnswer(page, systemMetrics, (metrics) => ({
        ...metrics,
        failedUploads,
        cloudflare: { ...HEALTHY, ...cloud },
      }));
      await page.goto("/system");
      await expect(card(page, "System Health").getByRole("status")).toHaveText(headline);
    });
  }

  test('reads "Status Unknown" while there are no metrics, and the chart collects @wide', async ({
    page,
  }) => {
    const release = await holdAnswer(page, systemMetrics);
    await page.goto("/system");
    await expect(card(page, "System Health").getByRole("status")).toHaveText("Status Unknown");
    await expect(page.getByText("Collecting performance data...")).toBeVisible();
    release();
    await expect(page.getByRole("figure", { name: "Performance trends" })).toBeVisible();
  });

  test("shows uptime, active jobs, total uploads and failed uploads @wide", async ({ page }) => {
    await alterAnswer(page, systemMetrics, (metrics) => ({
      ...metrics,
      uptime: 86_400 + 2 * 3_600 + 3 * 60,
      activeUploads: 4,
      totalUploads: 1_000,
      failedUploads: 5,
    }));
    await page.goto("/system");
    const health = card(page, "System Health");
    await expect(valueOf(health, "Uptime")).toHaveText("1d 2h 3m");
    await expect(valueOf(health, "Active Jobs")).toHaveText("4");
    await expect(valueOf(health, "Total Uploads")).toHaveText("1,000");
    await expect(valueOf(health, "Failed Uploads")).toHaveText("5");
  });
});

test.describe("Cloud Infrastructure", () => {
  test("lists each part with what it holds and its badge", async ({ page }) => {
    await alterAnswer(page, systemMetrics, (metrics) => ({
      ...metrics,
      cloudflare: {
        r2Storage: { usedGB: 12.5, utilization: "1.3%", status: "unhealthy" as const },
        d1Database: { totalRecords: 4_321, status: "degraded" as const },
        workers: { environment: "preview", status: "healthy" as const },
        queues: {
          vodResumeQueue: { status: "healthy" as const, reason: "3 waiting, all slots are busy." },
        },
      },
    }));
    await page.goto("/system");
    await expect(card(page, "Cloud Infrastructure").getByRole("listitem")).toHaveText([
      /Workers\s*Environment: preview\s*healthy/,
      /R2 Storage\s*12\.5 GB used, 1\.3% utilization\s*unhealthy/,
      /D1 Database\s*4,321 total records\s*degraded/,
      /KV Namespaces\s*5 namespaces active\s*healthy/,
      /Queue\s*VOD Resume Queue\s*3 waiting, all slots are busy\.\s*healthy/,
    ]);
  });
});

test.describe("Performance Trends", () => {
  test("has three series of at most the 20 latest points, polled every 5 s", async ({ page }) => {
    let measured = 0;
    await alterAnswer(page, systemMetrics, (metrics) => ({
      ...metrics,
      activeUploads: (measured += 1),
      performance: { throughput: "4.2 ops/min" },
      cloudflare: HEALTHY,
    }));
    const time = await takeOverTime(page);
    await page.goto("/system");
    const trends = card(page, "Performance Trends");
    for (const series of [/^Active Uploads, /, /^Storage %, /, /^Throughput \(ops\/min\), /])
      await expect(trends.getByRole("img", { name: series })).toBeVisible();
    const { advance, callsOf } = await time.stop();
    await advance(120_000);
    expect(new Set(gapsOf(await callsOf("/admin/system/metrics")))).toEqual(new Set([5]));
    expect(new Set(gapsOf(await callsOf("/admin/system/logs")))).toEqual(new Set([10]));

    await trends.getByRole("button", { name: "Show table" }).click();
    await page.clock.runFor(100);
    await expect(trends.getByRole("columnheader")).toHaveText([
      "Time",
      "Active Uploads",
      "Storage %",
      "Throughput (ops/min)",
    ]);
    const rows = trends.locator("tbody tr");
    await expect(rows).toHaveCount(20);
    await expect(rows.first()).toContainText(`${measured}80%4.2`);
  });
});

test("History shows what the service recorded, by range, and zooms by dragging", async ({
  page,
  expectAccessible,
}) => {
  await page.goto("/system");
  const history = card(page, "History");
  const figure = history.getByRole("figure", { name: "System history" });
  for (const lane of [/^Active uploads, /, /^Bytes copied per second, /, /^Storage, /])
    await expect(figure.getByRole("img", { name: lane })).toBeVisible();
  await expect(history.getByText("Alert: Database is unhealthy")).toBeVisible();
  await expect(history.getByText("New version 1.0.0 started")).toBeVisible();
  await expectAccessible(page);

  await history.getByLabel("Range").selectOption("Last month");
  await expect(page).toHaveURL(/history=month/);
  await expect(history.getByText("Alert: Object storage is unhealthy")).toBeVisible();
  const wholeMonth = await figure.locator("figcaption").textContent();

  const failed = figure.getByRole("img", { name: /^Failed uploads, / });
  await failed.scrollIntoViewIfNeeded();
  const lane = await failed.boundingBox();
  if (lane === null) throw new Error("The lane is not shown");
  await page.mouse.move(lane.x + lane.width * 0.5, lane.y + 30);
  await page.mouse.down();
  await page.mouse.move(lane.x + lane.width * 0.8, lane.y + 30, { steps: 4 });
  await page.mouse.up();
  await expect(figure.locator("figcaption")).not.toContainText(wholeMonth ?? "");
  await expect(history.getByText("Started, version 0.9.0")).toBeHidden();
  await history.getByRole("button", { name: "Reset zoom" }).click();
  await expect(figure.locator("figcaption")).toContainText(wholeMonth ?? "");
});

test.describe("System Logs", () => {
  test("shows errors first, with level, time, message and metadata to unfold", async ({ page }) => {
    await page.goto("/system");
    await expect(page.getByLabel("Level")).toHaveValue("error");
    const entries = card(page, "System Logs").getByRole("listitem");
    await expect(entries).toHaveCount(1);
    await expect(entries).toContainText("Error");
    await expect(entries).toContainText("The object store is full.");
    await expect(entries.locator("time")).toHaveText(/\d{4}, \d+:\d\d:\d\d/);
    await expect(entries.getByText('"upload"')).toBeHidden();
    await entries.getByText("Metadata").click();
    await expect(entries.getByText(/seed7/)).toBeVisible();
  });

  test("has the levels Error, Warning, Info and Debug @wide", async ({ page }) => {
    await page.goto("/system");
    const level = page.getByLabel("Level");
    await expect(level.getByRole("option")).toHaveText(["Error", "Warning", "Info", "Debug"]);
    await level.selectOption("Warning");
    await expect(page.getByText("The source answers slowly.")).toBeVisible();
    await expect(page.getByText("The object store is full.")).toBeHidden();
    await level.selectOption("Info");
    await expect(page.getByText("A plain entry among others.")).toBeVisible();
  });

  test("asks for 100 entries of the level, and again by the refresh button @wide", async ({
    page,
  }) => {
    const asked: string[] = [];
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname === systemLogs.path) asked.push(url.search);
    });
    await page.goto("/system");
    await expect(page.getByText("The object store is full.")).toBeVisible();
    expect(asked).toEqual(["?level=error&limit=100"]);
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect.poll(() => asked.length).toBeGreaterThan(1);
  });

  test("without entries it names the level @wide", async ({ page }) => {
    await alterAnswer(page, systemLogs, () => ({ logs: [] }));
    await page.goto("/system");
    for (const level of ["Error", "Warning", "Info", "Debug"]) {
      await page.getByLabel("Level").selectOption(level);
      await expect(page.getByText(`No ${level.toLowerCase()} logs found`)).toBeVisible();
    }
  });
});

test.describe("Clear Cache and Restart Workers", () => {
  for (const { button, call, success, failure } of [
    {
      button: "Clear Cache",
      call: clearCache,
      success: "Cache cleared successfully",
      failure: "Failed to clear cache",
    },
    {
      button: "Restart Workers",
      call: restartWorkers,
      success: "Workers restarted successfully",
      failure: "Failed to restart workers",
    },
  ]) {
    test(`${button} says what came of it`, async ({ page }) => {
      await page.goto("/system");
      await page.getByRole("button", { name: button }).click();
      await expect(page.getByText(success).first()).toBeVisible();
    });

    test(`${button} says when it failed @wide`, async ({ page, quietConsole }) => {
      quietConsole.allow(/Failed to load resource/);
      await failCall(page, call);
      await page.goto("/system");
      await page.getByRole("button", { name: button }).click();
      await expect(page.getByText(failure).first()).toBeVisible();
    });
  }
});

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { closeMetricsStream } from "./fixtures/answers.ts";
import { card } from "./fixtures/seen.ts";
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

test.beforeEach(async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await closeMetricsStream(page);
});

test("History shows recorded data and events by range, and zooms by dragging", async ({
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
  test("shows errors by default, with level, time, message and expandable metadata", async ({
    page,
  }) => {
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
});

for (const [button, success] of [
  ["Clear Cache", "Cache cleared successfully"],
  ["Restart Workers", "Workers restarted successfully"],
] as const) {
  test(`${button} reports its success`, async ({ page }) => {
    await page.goto("/system");
    await page.getByRole("button", { name: button }).click();
    await expect(page.getByText(success).first()).toBeVisible();
  });
}

import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { checkExport } from "#service/audit/check-export.ts";
import { expect, test } from "./fixtures/journey.ts";
import { expectToast } from "./fixtures/seen.ts";

const sha256 = async (bytes: Uint8Array): Promise<string> => hash("sha256", bytes);

const rows = (page: Page) => page.getByRole("table", { name: "Audit log" }).locator("tbody tr");

test.beforeEach(({ bringSession }) => bringSession("Avery Admin"));

test("entries show who did what, with time, target and result", async ({ page }) => {
  await page.goto("/audit?action=session.open");
  await expect(page.getByRole("columnheader")).toHaveText([
    "Time",
    "Who",
    "Action",
    "Target",
    "Result",
    "Details",
  ]);
  await expect(rows(page).first()).toContainText("Avery Admin");
  await expect(rows(page).first()).toContainText("Signed in");
  await expect(rows(page).first()).toContainText("Done");
});

test("a changed budget is logged with its new value", async ({ page }) => {
  await page.goto("/?cost=thresholds");
  const amountUsd = "123.45";
  await page.getByLabel("Monthly budget (USD)").fill(amountUsd);
  await page.getByRole("button", { name: "Save" }).click();
  await expectToast(page, "Budget updated");
  await page.goto("/audit?action=cost.budget");
  await page
    .getByRole("button", { name: /^Details of entry/ })
    .first()
    .click();
  const changes = page.getByRole("list", { name: "Changed values" });
  await expect(changes.getByText(`After${amountUsd}`)).toBeVisible();
});

test("exports verifiable entries that match the filters, and is logged", async ({ page }) => {
  await page.goto("/audit?action=session.open");
  await expect(rows(page).first()).toContainText("Signed in");
  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /JSON lines/ }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.jsonl$/);
  const lines = (await readFile(await file.path(), "utf8")).trimEnd().split("\n");
  for (const line of lines) expect(line).toContain('"action":"session.open"');
  expect(await checkExport(lines, { sha256 })).toMatchObject({
    entries: lines.length,
    fault: null,
  });
  await page.goto("/audit?action=audit.export");
  await expect(rows(page).first()).toContainText("Audit log exported");
});

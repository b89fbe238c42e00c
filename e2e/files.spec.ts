import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { getUpload } from "#contract/uploads.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { signedInApi, start, startAndAwait } from "./fixtures/archives.ts";
import { actionOf, expectToast } from "./fixtures/seen.ts";
import { expect, test } from "./fixtures/journey.ts";

/** More than one page of users and of files. */
test.use({ seeded: { users: 45, uploads: 0, files: 60 } });

const ONE_MINUTE = "2000000002";
/** Includes the streamer's name, so that no seeded file matches. */
const ONE_MINUTE_FILE = `pixelpilot-${ONE_MINUTE}`;
const HALF_A_MINUTE = "2000000007";
/** Deleted everywhere on Twitch once six segments were served. */
const VANISHING = "2000001090";

/** A busy machine may get there late, and the page's clock does not go back. */
const MOST_BEHIND_MS = 30_000;

const search = (page: Page) => page.getByPlaceholder("Search files by name or key...");
const rows = (page: Page) => page.getByRole("table", { name: "Stored files" }).locator("tbody tr");

test.beforeEach(async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await page.goto("/files");
  await expect(page.getByRole("heading", { name: "R2 File Browser" })).toBeVisible();
});

test("filters lead to page 1 in one request, after 300 ms @calls", async ({ page }) => {
  await page.clock.install();
  await page.goto("/files?page=2");
  await expect(rows(page)).toHaveCount(25);
  const asked: string[] = [];
  // A poll of the unfiltered page may still be on its way once the clock is paused.
  page.on("request", (request) => {
    const { pathname, search: query, searchParams } = new URL(request.url());
    const isFiltered = searchParams.has("uploadType") || searchParams.has("status");
    if (pathname.endsWith("/r2/browse") && isFiltered) asked.push(query);
  });
  await page.clock.pauseAt(Date.now() + MOST_BEHIND_MS);
  await page.getByLabel("Type", { exact: true }).selectOption("Manual Uploads");
  await page.clock.runFor(200);
  await page.getByLabel("Status", { exact: true }).selectOption("Complete");
  await page.clock.runFor(299);
  await expect(page).toHaveURL(/\?page=2$/);
  expect(asked).toEqual([]);
  await page.clock.runFor(1);
  await page.clock.resume();
  await expect(page).toHaveURL(/type=manual.*status=complete|status=complete.*type=manual/);
  await expect(page).not.toHaveURL(/page=/);
  await expect(rows(page).first()).toContainText("Manual Upload");
  expect(asked).toHaveLength(1);
  expect(new URLSearchParams(asked[0]).get("page")).toBe("1");
  expect(new URLSearchParams(asked[0]).get("limit")).toBe("25");
  await expect(page.getByText(/matching the filters/).first()).toBeVisible();
});

test("the details show every field, the player and the download", async ({ app, page }) => {
  await startAndAwait(await signedInApi(app), ONE_MINUTE, "completed", { again: true });
  await search(page).fill(ONE_MINUTE_FILE);
  await expect(rows(page)).toHaveCount(1);
  await (await actionOf(rows(page).first(), "View Details")).click();
  const dialog = page.getByRole("dialog");
  for (const field of [
    "Filename",
    "Full Key",
    "Size",
    "Last Modified",
    "Upload Type",
    "Status",
    "Username",
    "VOD ID",
  ])
    await expect(dialog.getByText(field, { exact: true })).toBeVisible();
  // Dates follow the browser's locale: the journeys run in British English.
  await expect(dialog.getByText(/^\d+ [A-Z][a-z]+ 20\d\d, \d\d:\d\d:\d\d$/)).toBeVisible();
  await expect(dialog.getByText("Twitch VOD", { exact: true })).toBeVisible();
  await expect(dialog.getByText("Complete", { exact: true })).toBeVisible();
  await expect(dialog.locator("pre")).toContainText('"durationSec": 60');

  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  const bytes = await readFile(await (await download).path());
  expect(hash("sha256", bytes)).toBe((await app.twitch.sourceDigest(ONE_MINUTE)).sha256);
  await dialog.getByRole("link", { name: "Watch" }).click();
  await expect(page).toHaveURL(/\/watch\//);
  // The URL opens the same details.
  await page.goBack();
  await expect(dialog.getByText("VOD ID", { exact: true })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page).not.toHaveURL(/file=/);
});

test("a row shows the thumbnail of its archive @wide", async ({ app, page }) => {
  await startAndAwait(await signedInApi(app), HALF_A_MINUTE, "completed", { again: true });
  await search(page).fill(HALF_A_MINUTE);
  const picture = rows(page).first().locator("img");
  const width = () => picture.evaluate((image: HTMLImageElement) => image.naturalWidth);
  await expect.poll(width).toBe(320);
});

test("an orphaned file can only be deleted, which frees space @wide", async ({ app, page }) => {
  const api = await signedInApi(app);
  const { id } = await startAndAwait(api, HALF_A_MINUTE, "completed", { again: true });
  await page.goto("/uploads");
  const upload = page.getByRole("row", { name: new RegExp(HALF_A_MINUTE) }).first();
  await upload.getByRole("button", { name: /Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete upload" }).click();
  await expectToast(page, "Upload deleted");

  await page.goto("/files");
  await search(page).fill(id);
  await expect(rows(page)).toHaveCount(1);
  const row = rows(page).first();
  await expect(row.getByText("Orphaned", { exact: true })).toBeVisible();
  const download = await actionOf(row, "Download");
  await expect(download).toBeDisabled();
  await download.press("Escape");

  await (await actionOf(row, "Delete")).click();
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByText(/^Are you sure you want to delete ".+"\? This action cannot be undone\.$/),
  ).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(row).toBeVisible();
  await (await actionOf(row, "Delete")).click();
  await dialog.getByRole("button", { name: "Delete file" }).click();
  await expectToast(page, /^File deleted: [\d.]+ (?:KB|MB) freed$/);
  await expect(page.getByText("No files found")).toBeVisible();
});

test("a failed upload can be deleted with its partial file @wide", async ({ app, page }) => {
  const api = await signedInApi(app);
  const { id } = await start(api, VANISHING, { again: true });
  // It is gone once two answers a minute apart say so.
  await expect(async () => {
    app.passMinute();
    const { status } = await api.expect(getUpload, addressOf(getUpload, { id }));
    expect(status).toBe("failed");
  }).toPass({ intervals: [2_000] });
  await page.goto("/uploads/failed");
  const upload = page.getByRole("row", { name: new RegExp(VANISHING) }).first();
  await upload.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByText("Are you sure you want to delete this failed upload?", { exact: true }),
  ).toBeVisible();
  await expect(
    dialog.getByText(/Its partial file stays in storage as an orphaned file/),
  ).toBeVisible();
  await dialog.getByRole("checkbox", { name: "Also delete its stored file" }).check();
  await expect(dialog.getByText(/Its stored file is deleted with it/)).toBeVisible();
  await dialog.getByRole("button", { name: "Delete upload" }).click();
  await expectToast(page, "Upload deleted");
  await page.goto("/files");
  await search(page).fill(id);
  await expect(page.getByText("No files found")).toBeVisible();
});

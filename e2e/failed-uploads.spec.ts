import type { Page } from "@playwright/test";
import { bulkRetry, deleteUpload, listFailedUploads } from "#contract/uploads.ts";
import { alterAnswer, failCall } from "./fixtures/answers.ts";
import { gapsOf, takeOverTime } from "./fixtures/page-time.ts";
import { expectColumns, expectTold } from "./fixtures/seen.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

/** Enough for more than one page of failed uploads. */
const test = seededWith({ users: 30, uploads: 600, files: 0 });

const rows = (page: Page) =>
  page.getByRole("table", { name: "Failed uploads" }).locator("tbody > tr");
const search = (page: Page) =>
  page.getByPlaceholder("Search failed uploads by filename, user, or error message...");
const retrySelected = (page: Page) => page.getByRole("button", { name: /^Retry Selected/ });
const deleteSelected = (page: Page) => page.getByRole("button", { name: "Delete Selected" });

test.beforeEach(async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await page.goto("/uploads/failed");
  await expect(rows(page)).toHaveCount(20);
});

test("has the specified cards and columns, 20 on a page, and another search leads to page 1", async ({
  page,
}) => {
  await expect(page.getByRole("heading", { name: "Failed Uploads" })).toBeVisible();
  for (const card of ["Total Failed", "Can Retry", "Max Retries"])
    await expect(page.getByText(card, { exact: true })).toBeVisible();
  await expectColumns(page.getByRole("table", { name: "Failed uploads" }), [
    "Select all on this page",
    "File Details",
    "Error",
    "Retries",
    "Failed At",
    "Actions",
  ]);
  await expect(page.getByText(/^Showing 1 to 20 of \d+ results$/)).toBeVisible();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText(/^Showing 21 to/)).toBeVisible();
  await search(page).fill("subscribers only");
  await expect(page).toHaveURL(/\?search=subscribers\+only$/);
  await expect(rows(page).first()).toContainText("This VOD is for subscribers only.");
  await search(page).fill("nothing failed like this");
  await expect(page.getByText("No failed uploads")).toBeVisible();
});

test("what is selected, and what to do with it, stays in sight however far down", async ({
  page,
  expectAccessible,
}) => {
  const last = rows(page).last();
  await last.getByRole("checkbox").check();
  await expect(page.getByText(/^1 selected/)).toBeInViewport();
  await expect(deleteSelected(page)).toBeInViewport({ ratio: 1 });
  await expect(last).toBeInViewport();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Clear selection" }).click();
  await expect(page.getByText("Nothing selected")).not.toBeInViewport();
});

test("a row at its last retry can't be retried, alone or with others", async ({ page }) => {
  await alterAnswer(page, listFailedUploads, (answer) => ({
    ...answer,
    items: answer.items.map((item, index) => ({
      ...item,
      failureClass: "try_later" as const,
      retryCount: index === 0 ? 3 : 2,
    })),
  }));
  await page.reload();
  await expect(rows(page).first().getByText("Max retries reached")).toBeVisible();
  await expect(
    rows(page)
      .first()
      .getByRole("button", { name: /^Retry/ }),
  ).toHaveCount(0);
  await expect(
    rows(page)
      .nth(1)
      .getByRole("button", { name: /^Retry/ }),
  ).toBeVisible();

  await expect(retrySelected(page)).toBeDisabled();
  await expect(deleteSelected(page)).toBeDisabled();
  // On phones rows are blocks without headers; a separate button selects all.
  const all = page.getByRole("checkbox", { name: "Select all on this page" });
  const isWide = await all.isVisible();
  if (isWide) await all.check();
  else await page.getByRole("button", { name: "Select this page" }).click();
  await expect(page.getByText("20 selected, 1 can't be retried, only deleted")).toBeVisible();
  await expect(retrySelected(page)).toHaveText("Retry Selected (19)");
  if (isWide) await all.uncheck();
  else await page.getByRole("button", { name: /^Clear/ }).click();
  await rows(page).nth(1).getByRole("checkbox").check();
  await expect(retrySelected(page)).toHaveText("Retry Selected (1)");
});

test("what is gone at the source is not offered for a retry, alone or in its group", async ({
  page,
}) => {
  const group = page
    .getByRole("list", { name: "Failures by cause" })
    .getByRole("button", { name: /^Gone at the source/ });
  await expect(group).toContainText("None can be retried");
  await group.click();
  await expect(
    rows(page)
      .first()
      .getByText(/A retry can't help|Max retries reached/),
  ).toBeVisible();
  await expect(rows(page).getByRole("button", { name: /^Retry/ })).toHaveCount(0);
});

test("a bulk retry says for how many it was initiated, for how many it failed, or that it failed", async ({
  page,
  quietConsole,
}) => {
  quietConsole.allow(/Failed to load resource/);
  await alterAnswer(page, bulkRetry, ({ results }) => ({
    success: results.length - 1,
    failed: 1,
    results: results.map((result, index) =>
      index === 0 ? { id: result.id, ok: false, error: "It is being deleted." } : result,
    ),
  }));
  const boxes = page.getByRole("checkbox", { name: /^Select .*\.ts$/ });
  const retryable = rows(page).filter({ has: page.getByRole("button", { name: /^Retry/ }) });
  for (const index of [0, 1, 2]) await retryable.nth(index).getByRole("checkbox").check();
  await retrySelected(page).click();
  await expectTold(page, "Retry initiated for 2 uploads");
  await expectTold(page, "Failed to retry 1 upload");
  await expect(page.getByText("It is being deleted.")).toBeVisible();
  await expect(boxes.and(page.locator(":checked"))).toHaveCount(1);

  await page.unrouteAll();
  await failCall(page, bulkRetry);
  await retrySelected(page).click();
  await expectTold(page, "Failed to initiate bulk retry");
});

test("deleting asks in the specification's words, for one and for many, and says what came of it", async ({
  page,
  quietConsole,
}) => {
  quietConsole.allow(/Failed to load resource/);
  await rows(page)
    .first()
    .getByRole("button", { name: /^Delete/ })
    .click();
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByText("Are you sure you want to delete this failed upload?", { exact: true }),
  ).toBeVisible();
  await dialog.getByRole("button", { name: "Delete upload" }).click();
  await expectTold(page, "Upload deleted");

  for (const index of [0, 1]) await rows(page).nth(index).getByRole("checkbox").check();
  await deleteSelected(page).click();
  await expect(
    dialog.getByText("Are you sure you want to delete 2 failed uploads?", { exact: true }),
  ).toBeVisible();
  await dialog.getByRole("button", { name: "Delete uploads" }).click();
  await expectTold(page, "Deleted 2 uploads");

  await failCall(page, deleteUpload);
  await rows(page).first().getByRole("checkbox").check();
  await deleteSelected(page).click();
  await dialog.getByRole("button", { name: "Delete uploads" }).click();
  await expectTold(page, "Failed to delete some uploads");
});

test("an upload that is retried from its row is not selected any more", async ({ page }) => {
  const row = rows(page)
    .filter({ has: page.getByRole("button", { name: /^Retry/ }) })
    .first();
  await row.getByRole("checkbox").check();
  await expect(page.getByText(/^1 selected/)).toBeVisible();
  await row.getByRole("button", { name: /^Retry/ }).click();
  await expectTold(page, "Upload retry initiated");
  await expect(page.getByText("Nothing selected")).toBeVisible();
});

test("what somebody else has retried since the question was asked is not deleted", async ({
  page,
  quietConsole,
}) => {
  quietConsole.allow(/Failed to load resource/);
  const message = "This upload has changed since it was chosen: it is processing now.";
  await failCall(page, deleteUpload, { status: 409, code: "conflict", message });
  await rows(page)
    .first()
    .getByRole("button", { name: /^Delete/ })
    .click();
  const dialog = page.getByRole("dialog");
  const asked = page.waitForRequest((request) => request.method() === "DELETE");
  await dialog.getByRole("button", { name: "Delete upload" }).click();
  expect(new URL((await asked).url()).search).toBe("?ifStatus=failed");
  await expect(dialog.getByRole("alert")).toHaveText(`Failed to delete upload. ${message}`);
});

test("without an answer there is a page with a Retry button", async ({ page, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  let calls = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === listFailedUploads.path) calls += 1;
  });
  await failCall(page, listFailedUploads);
  await page.reload();
  await expect(page.getByText("Failed to load data", { exact: true })).toBeVisible();
  // One call and one retry: the default of every query.
  expect(calls).toBe(2);
  await page.unrouteAll();
  await page.getByRole("button", { name: "Retry", exact: true }).click();
  await expect(rows(page)).toHaveCount(20);
});

test("asks for the list every 30 s", { tag: "@calls" }, async ({ page }) => {
  const time = await takeOverTime(page);
  await page.reload();
  await expect(rows(page)).toHaveCount(20);
  const { advance, callsOf } = await time.stop();
  await advance(130_000);
  const gaps = gapsOf(await callsOf(listFailedUploads.path));
  expect(gaps.length).toBeGreaterThan(1);
  expect(new Set(gaps)).toEqual(new Set([30]));
});

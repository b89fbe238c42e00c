import { awaitStatus, signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expectToast } from "./fixtures/seen.ts";
import { expect, test } from "./fixtures/journey.ts";
import { openNewArchive } from "./fixtures/new-archive.ts";

/** Sub-only: usher refuses every retry. */
const SUB_ONLY = "2000001060";
/** Gaps: ends as a partial file that lists the missing ranges. */
const WITH_GAPS = "2000001130";
const ONE_MINUTE = "2000000002";

test.beforeEach(({ bringSession }) => bringSession("Avery Admin"));

test("a failed upload can be retried until its retries are used up", async ({ app, page }) => {
  const api = await signedInApi(app);
  const { id } = await startAndAwait(api, SUB_ONLY, "failed");
  await page.goto("/uploads/failed");
  const row = page.getByRole("row", { name: new RegExp(SUB_ONLY) });
  await expect(row).toContainText("0/3");

  for (const retries of [1, 2, 3]) {
    await row.getByRole("button", { name: /^Retry/ }).click();
    await expectToast(page, "Upload retry initiated");
    await awaitStatus(api, id, "failed", retries);
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect(row).toContainText(`${retries}/3`);
  }
  await expect(row.getByText("Max retries reached")).toBeVisible();
  await expect(row.getByRole("button", { name: /^Retry/ })).toHaveCount(0);
});

test("a VOD with gaps ends as failed and shows the missing time", async ({ app, page }) => {
  const api = await signedInApi(app);
  const { id } = await startAndAwait(api, WITH_GAPS, "failed");
  await page.goto(`/uploads?upload=${id}`);
  const row = page.getByRole("row", { name: new RegExp(WITH_GAPS) });
  await expect(row.getByText("Failed")).toBeVisible();
  await expect(
    page
      .getByText(
        "Twitch no longer has 00:00:40-00:01:00. What there was is kept as a partial file.",
      )
      .first(),
  ).toBeVisible();
});

test("the URL keeps search and status across back and reload", async ({ app, page }) => {
  const api = await signedInApi(app);
  await startAndAwait(api, ONE_MINUTE, "completed", { again: true });
  await page.goto("/uploads");
  const search = page.getByPlaceholder("Search uploads by filename, user, or title...");
  await search.fill("nothing is called this");
  await expect(page.getByText("No uploads found")).toBeVisible();
  await expect(page).toHaveURL(/search=nothing/);
  await search.fill("");
  await page.getByLabel("Status").selectOption({ label: "Completed" });
  await expect(page).toHaveURL(/status=completed/);
  await expect(page.getByRole("row", { name: new RegExp(ONE_MINUTE) }).first()).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("Status")).toHaveValue("completed");
  await page.goBack();
  await expect(page).not.toHaveURL(/status=completed/);
  await page.goForward();
  await expect(page).toHaveURL(/status=completed/);
  await expect(page.getByText(/^Showing 1 to \d+ of \d+ results?$/)).toBeVisible();
});

test("Back leads to the previous screen once a dialog is closed", async ({ page }) => {
  await page.goto("/");
  const dialog = await openNewArchive(page);
  // Before, a dialog that waits for its script may be in its place.
  await expect(dialog.getByRole("textbox")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("heading", { name: "Upload Monitor", exact: true })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Dashboard", exact: true })).toBeVisible();
});

import { browseFiles } from "#contract/files.ts";
import { listUploads } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";
import { holdAnswer } from "./fixtures/answers.ts";
import { openAnswered } from "./fixtures/navigation.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

/** Two lines of a name and four of a key; a column one letter wide would be many times higher. */
const MAX_FILE_ROW_PX = 160;

const full = seededWith({ users: 45, uploads: 120, files: 60 });
const empty = seededWith({ users: 0, uploads: 0, files: 0 });

full.describe("A page beyond the end", () => {
  for (const { path, last } of [
    { path: "/uploads", last: /^Showing 101 to 120 of 120 results$/ },
    { path: "/uploads/failed", last: /^Showing \d+ to (\d+) of \1 results$/ },
    { path: "/files", last: /^Showing 51 to 60 of 60 results$/ },
    { path: "/users", last: /^Showing 41 to 46 of 46 users$/ },
    { path: "/audit", last: /^Showing \d+ to (\d+) of \1 entries$/ },
  ]) {
    full(`of ${path} leads to the last page and its URL`, async ({ bringSession, page }) => {
      await bringSession("Avery Admin");
      await page.goto(`${path}?page=4000`);
      await expect(page.getByText(last)).toBeVisible();
      await expect(page).not.toHaveURL(/page=4000/);
    });
  }
});

full(
  "the pagination shows a loading indicator while another page loads",
  async ({ bringSession, page }) => {
    await bringSession("Avery Admin");
    await page.goto("/users");
    await expect(page.getByText("Showing 1 to 20 of 46 users")).toBeVisible();
    const release = await holdAnswer(page, listUsers);
    await page.getByRole("button", { name: "Next" }).click();
    const turning = page.getByRole("navigation", { name: "Pagination" }).locator("div > span");
    await expect(turning).toBeVisible();
    release();
    await expect(page.getByText("Showing 21 to 40 of 46 users")).toBeVisible();
    await expect(turning).toHaveCount(0);
  },
);

full.describe("Between phone and desktop", () => {
  for (const width of [768, 1023, 1024, 1152]) {
    full(
      `every column of the Upload Monitor is in view, ${width} px wide`,
      async ({ bringSession, page }) => {
        await page.setViewportSize({ width, height: 800 });
        await bringSession("Avery Admin");
        await openAnswered(page, "/uploads");
        const table = page.getByRole("region", { name: "Uploads, table" });
        expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
        await expect(table.getByRole("button", { name: /^Actions/ }).first()).toBeInViewport({
          ratio: 1,
        });
      },
    );

    full(
      `no row of the File Browser is squeezed, ${width} px wide`,
      async ({ bringSession, page }) => {
        await page.setViewportSize({ width, height: 800 });
        await bringSession("Avery Admin");
        await openAnswered(page, "/files");
        const row = page.getByRole("table", { name: "Stored files" }).locator("tbody > tr").first();
        expect((await row.boundingBox())?.height).toBeLessThan(MAX_FILE_ROW_PX);
      },
    );
  }
});

full.describe("Next and Previous, pressed while a page is loading,", () => {
  for (const { path, call, pages } of [
    { path: "/uploads", call: listUploads, pages: 6 },
    { path: "/files", call: browseFiles, pages: 3 },
  ]) {
    full(
      `count each press on ${path}, but none beyond the last page`,
      async ({ bringSession, page }) => {
        await bringSession("Avery Admin");
        // Polling is paused: only the button presses cause calls.
        await page.goto(`${path}?live=paused`);
        await expect(page.getByText(/^Showing 1 to/)).toBeVisible();
        const answer = await holdAnswer(page, call);
        const next = page.getByRole("button", { name: "Next" });
        await next.dblclick();
        await expect(page).toHaveURL(/[?&]page=3/);
        await expect(page.getByText(/^Showing 1 to/)).toBeVisible();
        for (let press = 0; press < pages; press++) await next.click({ force: true });
        await expect(page).toHaveURL(new RegExp(`[?&]page=${pages}\\b`));
        await expect(next).toBeDisabled();
        await page.getByRole("button", { name: "Previous" }).dblclick();
        await page.getByRole("button", { name: "Next" }).click();
        answer();
        const limit = path === "/files" ? 25 : 20;
        await expect(page.getByText(`Showing ${(pages - 2) * limit + 1} to`)).toBeVisible();
        await page.goBack();
        await expect(page.getByText(`Showing ${(pages - 3) * limit + 1} to`)).toBeVisible();
      },
    );
  }
});

empty(
  "Back leads to the previous screen from a closed dialog, however it was opened",
  async ({ bringSession, page }) => {
    await bringSession("Avery Admin");
    const dialog = page.getByRole("dialog", { name: "New archive" });
    const title = (name: string) => page.getByRole("heading", { name, exact: true });
    await page.goto("/");
    await page.getByRole("link", { name: "Archive a VOD" }).click();
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(title("Upload Monitor")).toBeVisible();
    await page.getByRole("button", { name: "New archive" }).first().click();
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(title("Upload Monitor")).toBeVisible();
    await page.goBack();
    await expect(title("Dashboard")).toBeVisible();
  },
);

empty("a page of an empty list leads to the first one", async ({ bringSession, page }) => {
  await bringSession("Avery Admin");
  await page.goto("/notifications?page=4000");
  await expect(page.getByText("No deliveries yet")).toBeVisible();
  await expect(page).not.toHaveURL(/page=/);
});

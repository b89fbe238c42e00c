import { expect, seededWith } from "./fixtures/seeded-journey.ts";

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
    full(`of ${path} leads to the last one, and the address says so`, async ({ signIn, page }) => {
      await signIn("Avery Admin");
      await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
      await page.goto(`${path}?page=4000`);
      await expect(page.getByText(last)).toBeVisible();
      await expect(page).not.toHaveURL(/page=4000/);
    });
  }
});

empty.describe("A list at its beginning", () => {
  for (const { path, title, hint, step } of [
    {
      path: "/uploads",
      title: "No uploads found",
      hint: "Nothing has been archived yet. Start with a VOD's address.",
      step: { role: "button", name: "New archive" },
    },
    {
      path: "/uploads/failed",
      title: "No failed uploads",
      hint: "Every upload is completed, running or waiting its turn.",
      step: { role: "link", name: "Watch the uploads" },
    },
    {
      path: "/files",
      title: "No files found",
      hint: "No files are currently stored in R2",
      step: { role: "link", name: "Archive a VOD" },
    },
  ] as const) {
    empty(`${path} says what would fill it, and leads there`, async ({ signIn, page }) => {
      await signIn("Avery Admin");
      await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
      await page.goto(path);
      await expect(page.getByText(title, { exact: true })).toBeVisible();
      await expect(page.getByText(hint, { exact: true })).toBeVisible();
      await page.getByRole(step.role, { name: step.name }).last().click();
      if (path === "/uploads/failed")
        await expect(page.getByRole("heading", { name: "Upload Monitor" })).toBeVisible();
      else await expect(page.getByRole("dialog", { name: /archive/i })).toBeVisible();
    });
  }

  empty("a page of nothing at all is the first one", async ({ signIn, page }) => {
    await signIn("Avery Admin");
    await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
    await page.goto("/notifications?page=4000");
    await expect(page.getByText("Nothing has been sent to you yet")).toBeVisible();
    await expect(page).not.toHaveURL(/page=/);
  });
});

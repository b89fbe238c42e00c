import { dashboardHistory, dashboardStats } from "#contract/dashboard.ts";
import { alterAnswer, holdAnswer } from "./fixtures/answers.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

const test = seededWith({ users: 12, uploads: 80, files: 20 });

const DAYS = [0, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 7];

test.beforeEach(async ({ signIn, page }) => {
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
});

test("figures with a history show it by day, with a text alternative", async ({
  page,
  expectAccessible,
}) => {
  for (const name of [
    /^Uploads started per day, 13 days: lowest \d+, highest \d+, last \d+$/,
    /^Accounts at the end of each day, 13 days: lowest \d+, highest \d+, last \d+$/,
    /^Uploads failed per day, 13 days: /,
  ])
    await expect(page.getByRole("img", { name })).toBeVisible();
  await expectAccessible(page);
});

test("days without a record are shown as a gap, and a single whole day shows no history", async ({
  page,
}) => {
  await alterAnswer(page, dashboardHistory, (history) => ({
    ...history,
    uploads: DAYS.map((value, index) => (index === 5 ? null : value)),
    failed: DAYS.map((value, index) => (index >= 12 ? value : null)),
    storedBytes: null,
  }));
  await page.reload();
  const uploads = page.getByRole("img", {
    name: "Uploads started per day, 13 days: lowest 0, highest 9, last 8",
  });
  await expect(uploads.locator("path")).toHaveCount(2);
  await expect(page.getByRole("img", { name: /^Uploads failed per day/ })).toHaveCount(0);
  await expect(page.getByRole("img", { name: /^Most stored/ })).toHaveCount(0);
});

test("the history is requested once per visit, even if the cards render before it arrives", async ({
  page,
}) => {
  // The first visit's request is over.
  await expect(page.getByRole("img", { name: /^Uploads started per day/ })).toBeVisible();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === dashboardHistory.path) asked.push(request.url());
  });
  const tellStats = await holdAnswer(page, dashboardStats);
  const tellHistory = await holdAnswer(page, dashboardHistory);
  await page.reload();
  await expect.poll(() => asked.length).toBe(1);
  tellStats();
  await expect(page.getByRole("link", { name: /^Total Uploads/ })).toBeVisible();
  tellHistory();
  await expect(page.getByRole("img", { name: /^Uploads started per day/ })).toBeVisible();
  expect(asked).toHaveLength(1);
});

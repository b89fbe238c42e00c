import type { Page } from "@playwright/test";
import { streamTicket } from "#contract/auth.ts";
import { type Upload } from "#contract/upload.ts";
import { cancelUpload, deleteUpload, listUploads, retryUpload } from "#contract/uploads.ts";
import { signedInApi, start } from "./fixtures/archives.ts";
import { alterAnswer, failCall, holdAnswer } from "./fixtures/answers.ts";
import { gapsOf, takeOverTime } from "./fixtures/page-time.ts";
import { colourOf, expectColumns, expectTold } from "./fixtures/seen.ts";
import { expect, seededWith } from "./fixtures/seeded-journey.ts";

const test = seededWith({ users: 30, uploads: 60, files: 0 });

/** The demonstration's two-hour VOD: still running throughout the test. */
const TWO_HOURS = "2000000001";

const MINUTE_MS = 60_000;
const LOST = 'Real-time updates disconnected. Click "Resume Live Updates" to reconnect.';

const rows = (page: Page) => page.getByRole("table", { name: "Uploads" }).locator("tbody > tr");
const search = (page: Page) =>
  page.getByPlaceholder("Search uploads by filename, user, or title...");

/** Changes the page's first upload and leaves the others unchanged. */
async function alterFirst(page: Page, changes: (upload: Upload) => Partial<Upload>): Promise<void> {
  await alterAnswer(page, listUploads, (answer) => ({
    ...answer,
    items: answer.items.map((item, index) => (index === 0 ? { ...item, ...changes(item) } : item)),
  }));
}

async function choose(page: Page, item: string): Promise<void> {
  await rows(page)
    .first()
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: item }).click();
}

/** In the middle of that minute, so that the displayed age stays the same for a while. */
function ago(ms: number): string {
  return new Date(Date.now() - ms - MINUTE_MS / 2).toISOString();
}

test.beforeEach(({ bringSession }) => bringSession("Avery Admin"));

test("has the specified columns and statuses, 20 on a page, and Next beyond them", async ({
  page,
}) => {
  await page.goto("/uploads");
  await expectColumns(page.getByRole("table", { name: "Uploads" }), [
    "File",
    "Status",
    "Progress",
    "Size",
    "Started",
    "Duration",
    "Debug",
    "Actions",
  ]);
  const status = page.getByLabel("Status", { exact: true });
  await expect(status.getByRole("option")).toHaveText([
    "All Status",
    "Pending",
    "Processing",
    "Completed",
    "Failed",
    "Cancelled",
  ]);
  await expect(page.getByText("Showing 1 to 20 of 60 results")).toBeVisible();
  await expect(rows(page)).toHaveCount(20);
  await expect(page.getByRole("button", { name: "Previous" })).toBeDisabled();
  const next = page.getByRole("button", { name: "Next" });
  await next.click();
  await expect(page.getByText("Showing 21 to 40 of 60 results")).toBeVisible();
  await next.click();
  await expect(page.getByText("Showing 41 to 60 of 60 results")).toBeVisible();
  await expect(next).toBeDisabled();
  await expect(next).toBeFocused();

  await status.selectOption("Failed");
  await expect(page).toHaveURL(/\?status=failed$/);
  await expect(page.getByText(/^Showing 1 to (\d+) of \1 results$/)).toBeVisible();
  await expect(next).toHaveCount(0);
});

test("another search leads to page 1; without a match it hints at the search and filter", async ({
  page,
}) => {
  await page.goto("/uploads?page=2");
  await search(page).fill("no upload is called this");
  await expect(page.getByText("No uploads found")).toBeVisible();
  await expect(page.getByText("Try adjusting your search or filter")).toBeVisible();
  await expect(page).toHaveURL(/\?search=no\+upload/);
});

test("offers retry only to failed uploads with retries left, cancel only to open ones, delete to all", async ({
  page,
}) => {
  const offered = [
    [{ status: "pending" }, ["Cancel", "Delete"]],
    [{ status: "processing" }, ["Cancel", "Delete"]],
    [{ status: "completed" }, ["Delete"]],
    [{ status: "failed", retryCount: 2, maxRetries: 3 }, ["Retry", "Delete"]],
    [{ status: "failed", retryCount: 3, maxRetries: 3 }, ["Delete"]],
    [{ status: "cancelled" }, ["Delete"]],
  ] as const;
  await alterAnswer(page, listUploads, (answer) => ({
    ...answer,
    items: answer.items.map((item, index) => ({ ...item, fileKey: null, ...offered[index]?.[0] })),
  }));
  await page.goto("/uploads?live=paused");
  for (const [index, [, items]] of offered.entries()) {
    await rows(page)
      .nth(index)
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await expect(page.getByRole("menuitem")).toHaveText([...items]);
    await page.keyboard.press("Escape");
  }
});

test("the debug panel shows all that is known, and the last 5 entries of the progress history", async ({
  page,
}) => {
  await alterFirst(page, ({ debugInfo }) => ({
    status: "processing" as const,
    debugInfo: {
      ...debugInfo,
      isStalled: true,
      internalVodId: "vod-internal",
      twitchVodId: "2345678901",
      timeStarted: ago(30 * MINUTE_MS),
      lastSegmentTime: ago(11 * MINUTE_MS),
      lastSegmentProcessed: 41,
      chatFileId: "chat-file",
      progressHistory: [1, 2, 3, 4, 5, 6, 7].map((percentage) => ({
        timestamp: ago((20 - percentage) * MINUTE_MS),
        percentage,
      })),
      initiatedBy: debugInfo.initiatedBy && {
        ...debugInfo.initiatedBy,
        twitchId: "12345",
        username: "olga_operator",
        displayName: "Olga Operator",
      },
      sessionInfo: {
        createdAt: ago(31 * MINUTE_MS),
        startedAt: ago(30 * MINUTE_MS),
        retryCount: 1,
        maxRetries: 3,
        error: "The source answered slowly.",
      },
    },
  }));
  await page.goto("/uploads?live=paused");
  const row = rows(page).first();
  await expect(row.getByText("STALLED", { exact: true })).toBeVisible();
  await row.getByRole("button", { name: /^Debug information of/ }).click();
  const panel = rows(page).nth(1);
  await expect(panel.getByText("No progress for over 10 minutes.")).toBeVisible();
  for (const [name, value] of [
    ["Internal VOD ID", "vod-internal"],
    ["Twitch VOD ID", "2345678901"],
    ["Time started", "30 min. ago"],
    ["Last segment at", "11 min. ago"],
    ["Last segment", "#41"],
    ["Chat file ID", "chat-file"],
    ["Stalled", "Yes"],
    ["Initiated by", /Olga Operator\s*@olga_operator/],
    ["Twitch user ID", "12345"],
    ["Created", "31 min. ago"],
    ["Started", "30 min. ago"],
    ["Retries", "1 of 3"],
    ["Error", "The source answered slowly."],
  ] as const)
    await expect(
      panel
        .locator("dt")
        .filter({ hasText: new RegExp(`^${name}$`) })
        .locator("+ dd"),
    ).toContainText(value);
  await expect(panel.getByRole("listitem")).toHaveText([/^7%/, /^6%/, /^5%/, /^4%/, /^3%/]);
});

test("the last segment is highlighted as a warning once it is older than 10 minutes", async ({
  page,
}) => {
  let ageMs = 11 * MINUTE_MS;
  await alterFirst(page, ({ debugInfo }) => ({
    status: "processing" as const,
    debugInfo: { ...debugInfo, lastSegmentTime: ago(ageMs) },
  }));
  const lastSegment = page.locator("dt", { hasText: "Last segment at" }).locator("+ dd > span");
  for (const [minutes, colour] of [
    [11, "yellow"],
    [9, "rgba(0, 0, 0, 0)"],
  ] as const) {
    ageMs = minutes * MINUTE_MS;
    await page.goto("/uploads?live=paused");
    await rows(page)
      .first()
      .getByRole("button", { name: /^Debug information of/ })
      .click();
    await expect(lastSegment).toContainText(`${minutes} min. ago`);
    await expect.poll(async () => colourOf(lastSegment)).toBe(colour);
  }
});

test("retry, cancel and delete say when they failed", async ({ page, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  let status: Upload["status"] = "failed";
  await alterFirst(page, () => ({ status, retryCount: 0, fileKey: null }));
  for (const call of [retryUpload, cancelUpload, deleteUpload]) await failCall(page, call);

  await page.goto("/uploads?live=paused");
  await choose(page, "Retry");
  await expectTold(page, "Failed to retry upload");
  status = "processing";
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(rows(page).first().getByText("Processing")).toBeVisible();
  await choose(page, "Cancel");
  const question = page.getByRole("dialog", { name: "Cancel upload" });
  await question.getByRole("button", { name: "Cancel upload" }).click();
  await expect(question.getByRole("alert")).toHaveText("Failed to cancel upload");
  await expectTold(page, "Failed to cancel upload");
  await question.getByRole("button", { name: "Keep it" }).click();
  await choose(page, "Delete");
  const dialog = page.getByRole("dialog", { name: "Delete upload" });
  await dialog.getByRole("button", { name: "Delete upload" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("Failed to delete upload");
  await expectTold(page, "Failed to delete upload");
});

test("the question before a deletion says what is lost as the upload is now", async ({ page }) => {
  let file: Partial<Upload> = {
    status: "processing",
    processedSize: 0,
    fileKey: null,
    fileStatus: null,
  };
  await alterFirst(page, () => file);
  await page.goto("/uploads");
  await choose(page, "Delete");
  const dialog = page.getByRole("dialog", { name: "Delete upload" });
  await expect(dialog.getByText(/Nothing is stored/)).toBeVisible();
  file = { ...file, processedSize: 5_000_000 };
  await expect(dialog.getByText(/Its unfinished parts are removed from storage/)).toBeVisible();
  file = { status: "completed", fileKey: "vods/1/2/3.ts", fileStatus: "complete" };
  await expect(
    dialog.getByText(
      /The archived file stays in storage as an orphaned file.+can no longer be downloaded/,
    ),
  ).toBeVisible();
  file = { status: "completed", fileKey: null, fileStatus: null };
  await expect(dialog.getByText(/Its file has already been deleted/)).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(rows(page).first().getByText("File deleted")).toBeVisible();
});

test.describe("Live updates", () => {
  test(
    "poll the list every 2 s, and not at all while they are paused",
    { tag: "@calls" },
    async ({ page }) => {
      const time = await takeOverTime(page);
      await page.goto("/uploads");
      await expect(page.getByText("Live", { exact: true })).toBeVisible();
      const { advance, callsOf } = await time.stop();
      await advance(12_000, 1_000);
      const gaps = gapsOf(await callsOf(listUploads.path));
      expect(gaps.length).toBeGreaterThan(2);
      expect(new Set(gaps)).toEqual(new Set([2]));

      await page.getByRole("button", { name: "Pause Live Updates" }).click();
      await page.clock.runFor(100);
      await expect(page.getByText("Disconnected", { exact: true })).toBeVisible();
      const before = (await callsOf(listUploads.path)).length;
      await advance(10_000);
      expect(await callsOf(listUploads.path)).toHaveLength(before);
    },
  );

  test("do not keep the list from being polled", { tag: "@calls" }, async ({ app, page }) => {
    const api = await signedInApi(app);
    const { id } = await start(api, TWO_HOURS, { again: true });
    await page.goto("/uploads");
    await expect(
      rows(page)
        .first()
        .getByText(/^[1-9]\d*\/720 segments$/),
    ).toBeVisible();
    let polls = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === listUploads.path) polls += 1;
    });
    await expect.poll(() => polls).toBeGreaterThanOrEqual(3);
    await api.post(`/admin/uploads/${id}/cancel`, {});
  });

  test("bring a new upload to the top of the first page, which keeps 20, and merge its progress", async ({
    app,
    page,
  }) => {
    await page.goto("/uploads");
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await expect(rows(page)).toHaveCount(20);
    // Polls get no response from here on: updates can only come through the stream.
    const release = await holdAnswer(page, listUploads);
    const api = await signedInApi(app);
    const { id } = await start(api, TWO_HOURS, { again: true });
    const row = rows(page).first();
    await expect(row).toContainText(TWO_HOURS);
    await expect(rows(page)).toHaveCount(20);
    await expect(row.getByText(/^[1-9]\d*\/720 segments$/)).toBeVisible();
    await api.post(`/admin/uploads/${id}/cancel`, {});
    await expect(row.getByText("Cancelled")).toBeVisible();
    await expect(rows(page)).toHaveCount(20);
    release();
  });

  test("switch off when the stream breaks, and a toast says so after 2 s", async ({
    app,
    page,
    quietConsole,
  }) => {
    // The browser logs each call that fails to connect.
    quietConsole.allow(/Failed to load resource|ERR_CONNECTION/);
    await page.clock.install();
    await page.goto("/uploads");
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await page.clock.pauseAt(Date.now() + 1_000);
    await app.stop();
    try {
      await expect(page.getByText("Connecting...", { exact: true })).toBeVisible();
      // The console reconnects once after a second, in case the service has restarted.
      await page.clock.runFor(1_000);
      await expect(page.getByText("Disconnected", { exact: true })).toBeVisible();
      await expect(page.getByRole("button", { name: "Resume Live Updates" })).toBeVisible();
      await page.clock.runFor(1_900);
      await expect(page.getByText(LOST)).toHaveCount(0);
      await page.clock.runFor(200);
      await expect(page.getByText(LOST)).toBeVisible();
    } finally {
      await app.start();
    }
    await page.getByRole("button", { name: "Resume Live Updates" }).click();
    await page.clock.resume();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
  });

  test("that are resumed within the 2 s leave nothing to say", async ({ page, quietConsole }) => {
    quietConsole.allow(/Failed to load resource/);
    await page.clock.install();
    await page.goto("/uploads?live=paused");
    await expect(rows(page)).toHaveCount(20);
    await page.clock.pauseAt(Date.now() + 60_000);
    await failCall(page, streamTicket);
    const refused = page.waitForResponse(`**${streamTicket.path}`);
    await page.getByRole("button", { name: "Resume Live Updates" }).click();
    await refused;
    await expect(page).toHaveURL(/live=paused/);
    await page.clock.runFor(1_000);
    await page.unrouteAll();
    await page.getByRole("button", { name: "Resume Live Updates" }).click();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await page.clock.runFor(2_000);
    expect(await page.evaluate(() => window.toldMessages)).not.toContainEqual(
      expect.stringContaining(LOST),
    );
  });
});

import type { Locator, Page } from "@playwright/test";
import { browseFiles } from "#contract/files.ts";
import { grantModerator, signedInApi, start, startAndAwait } from "./fixtures/archives.ts";
import { Operator, selectPage } from "./fixtures/operator.ts";
import type { RunningApp } from "./fixtures/running-app.ts";
import { card, expectToast } from "./fixtures/seen.ts";
import { expect, test } from "./fixtures/journey.ts";

// The frequent tasks of an operator, from the dashboard, each within a number of clicks.

test.use({ seeded: { users: 40, uploads: 300, files: 60 } });

const ONE_MINUTE = "2000000002";
/** Runs throughout the tests. */
const TWO_HOURS = "2000000001";
/** Of a fifth of the seeded failures. */
const CAUSE = "Source was unavailable";

async function paste(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.getByRole("dialog").getByRole("textbox").focus();
  await page.keyboard.press("Control+v");
}

/** Of a channel that nobody has confirmed the rights for. */
async function archive(operator: Operator, app: RunningApp, count: number): Promise<void> {
  const { page } = operator;
  const { id: ownerId } = await app.twitch.addAccount();
  const vods: string[] = [];
  while (vods.length < count) vods.push((await app.twitch.addVod({ ownerId, segmentCount: 3 })).id);
  const dialog = page.getByRole("dialog", { name: "New archive" });
  await operator.press(page.getByRole("link", { name: "New archive" }));
  await expect(dialog.getByRole("textbox")).toBeFocused();
  await paste(page, vods.join("\n"));
  await operator.press(dialog.getByRole("checkbox", { name: /rights/ }));
  await operator.press(dialog.getByRole("button", { name: /^Archive/ }));
}

/** The link to a user's files. */
function stored(page: Page): Locator {
  return page
    .getByRole("dialog")
    .locator("dt", { hasText: "Stored" })
    .locator("+ dd")
    .getByRole("link");
}

function newest(page: Page): Locator {
  return card(page, "Recent Uploads").locator('a[href*="/watch/"]').first();
}

type Task = {
  readonly task: string;
  readonly atMost: number;
  readonly carryOut: (operator: Operator, app: RunningApp) => Promise<unknown>;
};

const TASKS: readonly Task[] = [
  {
    task: "watch the newest video",
    atMost: 1,
    carryOut: async (operator) => {
      await operator.press(newest(operator.page));
      await expect(operator.page.locator("video")).toBeAttached();
    },
  },
  {
    task: "watch an old video by its title",
    atMost: 1,
    carryOut: async (operator) => {
      await operator.find("above the clouds", /^One minute above the clouds/);
      await expect(operator.page.locator("video")).toBeAttached();
    },
  },
  {
    task: "archive a video",
    atMost: 3,
    carryOut: async (operator, app) => {
      await archive(operator, app, 1);
      await expectToast(operator.page, "Archive started");
    },
  },
  {
    task: "archive ten videos",
    atMost: 4,
    carryOut: async (operator, app) => {
      await archive(operator, app, 10);
      const dialog = operator.page.getByRole("dialog");
      await operator.press(dialog.getByRole("button", { name: "Done" }));
      await expect(dialog).toBeHidden();
    },
  },
  {
    task: "retry one failed upload, having seen why it failed",
    atMost: 2,
    carryOut: async (operator) => {
      const { page } = operator;
      await operator.press(card(page, "Needs Attention").getByRole("link", { name: CAUSE }));
      const row = page.getByRole("row", { name: /answered 503/ }).first();
      await operator.press(row.getByRole("button", { name: /^Retry/ }));
      await expectToast(page, "Upload retry initiated");
    },
  },
  {
    task: "retry all that failed for one reason",
    atMost: 2,
    carryOut: async (operator) => {
      await operator.press(operator.button(/^Retry \d+: /));
      await expectToast(operator.page, /^Retry initiated for \d+ uploads/);
    },
  },
  {
    task: "cancel one archive",
    atMost: 2,
    carryOut: async (operator) => {
      const { page } = operator;
      await operator.press(page.getByRole("link", { name: /^Cancel / }).first());
      await operator.press(page.getByRole("button", { name: "Cancel upload" }));
      await expectToast(page, "Upload cancelled");
    },
  },
  {
    task: "cancel all running archives",
    atMost: 4,
    carryOut: async (operator) => {
      const { page } = operator;
      await operator.press(page.getByRole("link", { name: /^Running/ }));
      await operator.press(selectPage(page));
      await operator.press(operator.button(/^Cancel Selected/));
      const dialog = page.getByRole("dialog");
      const question = await dialog.getByText(/^Are you sure/).innerText();
      const [count = ""] = /\d+/.exec(question) ?? [];
      await dialog.getByLabel(`Type ${count} to confirm`).fill(count);
      await operator.press(dialog.getByRole("button", { name: "Cancel uploads" }));
      await expectToast(page, /^Cancelled \d+ upload/);
    },
  },
  {
    task: "save a clip",
    atMost: 4,
    carryOut: async (operator) => {
      const { page } = operator;
      await operator.press(newest(page));
      await operator.press(operator.button("Clip"));
      const download = page.waitForEvent("download");
      await operator.press(operator.button("Save clip"));
      expect((await download).suggestedFilename()).toMatch(/\.mp4$/);
    },
  },
  {
    task: "delete all files of a channel",
    atMost: 5,
    carryOut: async (operator, app) => {
      const { page } = operator;
      const { byUser } = await (await signedInApi(app)).expect(browseFiles, browseFiles.path);
      const owner = byUser.find(({ files, userId }) => files < 10 && userId !== null)?.username;
      const name = owner?.replace("_", " ") ?? "";
      await operator.find(name, new RegExp(`^${name} User`, "i"));
      await operator.press(stored(page));
      await operator.press(selectPage(page));
      await operator.press(operator.button("Move to Trash"));
      await expectToast(page, /^Moved \d+ files? to the trash/);
    },
  },
  {
    task: "give a moderator a role",
    atMost: 4,
    carryOut: async (operator, app) => {
      const { page } = operator;
      await grantModerator(app, []);
      await operator.find("Mo Moderator", /^Mo Moderator/);
      const dialog = page.getByRole("dialog");
      await operator.press(dialog.getByRole("button", { name: "Manage Permissions" }));
      await operator.press(dialog.getByRole("button", { name: "Operator" }));
      await operator.press(dialog.getByRole("button", { name: "Save Changes" }));
      await expectToast(page, "Permissions updated successfully");
    },
  },
  {
    task: "see what a user changed yesterday",
    atMost: 3,
    carryOut: async (operator) => {
      const { page } = operator;
      await operator.find("Avery", /^Avery Admin/);
      await operator.press(page.getByRole("dialog").getByRole("link", { name: "Yesterday" }));
      await expect(page.getByRole("heading", { name: "Audit Log" })).toBeVisible();
    },
  },
  {
    task: "change the budget",
    atMost: 3,
    carryOut: async (operator) => {
      const { page } = operator;
      await operator.press(operator.button("Costs"));
      await operator.press(page.getByRole("tab", { name: "Thresholds" }));
      const budget = page.getByRole("textbox", { name: "Monthly budget (USD)" });
      await budget.fill(String(Number(await budget.inputValue()) + 1));
      await operator.press(page.getByRole("button", { name: "Save" }).first());
      await expectToast(page, "Budget updated");
    },
  },
];

test.beforeAll(async ({ app }) => {
  await startAndAwait(await signedInApi(app), ONE_MINUTE, "completed");
});

for (const { task, atMost, carryOut } of TASKS)
  test(`${task} with at most ${atMost} actions`, async ({ app, page, signIn }) => {
    // Headless Chromium has a file picker that nobody can operate.
    await page.addInitScript(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
    await signIn("Avery Admin");
    await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
    if (task.startsWith("cancel"))
      for (const again of [true, true]) await start(await signedInApi(app), TWO_HOURS, { again });
    const operator = new Operator(page);
    await carryOut(operator, app);
    expect(operator.actions).toBeLessThanOrEqual(atMost);
  });

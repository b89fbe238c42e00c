import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { browseFiles } from "#contract/files.ts";
import { signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/journey.ts";
import { Operator, selectPage } from "./fixtures/operator.ts";
import { expectToast } from "./fixtures/seen.ts";

// What an owner, an editor and a programmer came for, from the dashboard, each within a number of
// clicks. Ten videos that are pasted are among the ten tasks of an operator (ten-tasks.spec.ts).

const LIBRARY_DIR = join(tmpdir(), `vodkeep-library-${process.pid}`);

test.use({ settings: { LIBRARY_DIR } });
test.afterAll(() => rm(LIBRARY_DIR, { recursive: true, force: true }));

const ONE_MINUTE = "2000000002";
/** The administrator's own. */
const OWN_CHANNEL = { id: "1001", login: "avery_admin" };

/** The list is read, the VOD is copied, and the library is looked at once a minute. */
const WITHIN = { timeout: 300_000, intervals: [2_000] };

test("the own channel, from its name to the first stored video, with at most 5 actions, and one setting for media servers", async ({
  app,
  page,
  signIn,
  quietConsole,
}) => {
  const { id } = await app.twitch.addVod({ ownerId: OWN_CHANNEL.id, segmentCount: 3 });
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  const operator = new Operator(page);
  await operator.find("Add channels", /^Add channels/);
  const dialog = page.getByRole("dialog", { name: "Add channels" });
  const names = dialog.getByLabel("Names or addresses of channels");
  await names.fill(OWN_CHANNEL.login);
  await names.blur();
  const agree = dialog.getByRole("button", { name: "This is my channel: agree" });
  await operator.press(agree);
  await operator.press(page.getByRole("button", { name: "Agree", exact: true }));
  await expectToast(page, "You agreed to archiving your channel");
  await expect(agree).toBeHidden();
  await operator.choose(dialog.getByRole("combobox", { name: "How far back" }), "all");
  await operator.press(dialog.getByRole("button", { name: "Add channel", exact: true }));
  await expect(dialog.getByText("Added: 1")).toBeVisible();
  expect(operator.actions).toBeLessThanOrEqual(5);

  // A minute that passes may outlive the page's session.
  quietConsole.allow(/Failed to load resource|Metrics/);
  const api = await signedInApi(app);
  await expect(async () => {
    app.passMinute();
    const stored = await api.expect(browseFiles, `${browseFiles.path}?status=complete`);
    expect(stored.files.map(({ vodId }) => vodId)).toContain(id);
    expect(await readdir(LIBRARY_DIR, { recursive: true })).toContainEqual(
      expect.stringMatching(new RegExp(`^Avery Admin.*s\\d{4}\\.e\\d+.*${id}.*\\.ts$`)),
    );
  }).toPass(WITHIN);
});

test("ten videos saved as MP4 into one folder, with at most 3 actions", async ({
  app,
  page,
  signIn,
}) => {
  const api = await signedInApi(app);
  const { id: ownerId } = await app.twitch.addAccount();
  for (let count = 0; count < 10; count += 1) {
    const { id } = await app.twitch.addVod({ ownerId, segmentCount: 3 });
    await startAndAwait(api, id, "completed");
  }
  // A folder of the browser's own in place of one that a person chooses.
  await page.addInitScript(() => {
    Object.assign(window, {
      showSaveFilePicker: () => Promise.reject(new Error("one folder is enough")),
      async showDirectoryPicker() {
        const root = await navigator.storage.getDirectory();
        return root.getDirectoryHandle("chosen", { create: true });
      },
    });
  });
  await signIn("Avery Admin");
  const operator = new Operator(page);
  await operator.press(page.getByRole("link", { name: "File Browser" }));
  await operator.press(selectPage(page));
  await operator.press(page.getByRole("button", { name: "Save as MP4", exact: true }).first());
  expect(operator.actions).toBeLessThanOrEqual(3);

  await page.getByRole("button", { name: /^(?:Saving|\d) .*file/ }).click();
  const list = page.getByRole("dialog", { name: "Saving files" });
  await expect(list.getByText("Saved", { exact: true }).nth(9)).toBeVisible();
  const saved = await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const found: string[] = [];
    for await (const name of (await root.getDirectoryHandle("chosen")).keys()) found.push(name);
    return found;
  });
  expect(saved.filter((name) => name.endsWith(".mp4")).length).toBeGreaterThanOrEqual(10);
});

test("a clip of 30 s in a file, with at most 5 actions", async ({ app, page, signIn }) => {
  await startAndAwait(await signedInApi(app), ONE_MINUTE, "completed");
  // Headless Chromium has a file picker that nobody can operate.
  await page.addInitScript(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  const operator = new Operator(page);
  await operator.find("above the clouds", /^One minute above the clouds/);
  await operator.press(operator.button("Clip"));
  const clip = page.getByRole("region", { name: "Clip" });
  await clip.getByLabel("Start").fill("0:10");
  await clip.getByLabel("End").fill("0:40");
  await expect(clip.getByRole("status")).toHaveText(/^30s/);
  const download = page.waitForEvent("download");
  await operator.press(clip.getByRole("button", { name: "Save clip" }));
  expect((await download).suggestedFilename()).toMatch(/\.mp4$/);
  expect(operator.actions).toBeLessThanOrEqual(5);
});

test("a token for a script, with at most 3 actions", async ({ page, signIn }) => {
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  const operator = new Operator(page);
  await operator.find("New token", /^New token/);
  const form = page.getByRole("dialog", { name: "New token" });
  await form.getByLabel("Name").fill("nightly mirror");
  await operator.press(form.getByRole("checkbox", { name: "read:uploads" }));
  await operator.press(form.getByRole("button", { name: "Make Token" }));
  await expect(page.getByRole("dialog", { name: "Copy the token now" })).toBeVisible();
  expect(operator.actions).toBeLessThanOrEqual(3);
});

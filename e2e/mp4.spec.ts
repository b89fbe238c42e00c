import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/journey.ts";
import type { RunningApp } from "./fixtures/running-app.ts";
import { actionOf } from "./fixtures/seen.ts";

const ONE_MINUTE = "2000000002";
/** H.264 in fMP4; the picture's size and profile change after 50 s. */
const TWO_INIT_SEGMENTS = "2000001040";

const list = (page: Page) => page.getByRole("dialog", { name: "Saving files" });

test.beforeEach(async ({ bringSession, page }) => {
  // Headless Chromium has pickers that nobody can operate; Firefox and Safari have none.
  await page.addInitScript(() => {
    Reflect.deleteProperty(window, "showSaveFilePicker");
    Reflect.deleteProperty(window, "showDirectoryPicker");
  });
  await bringSession("Avery Admin");
});

test("an MPEG-TS archive is saved as MP4, without leftovers", async ({ app, page }) => {
  const path = await save(page, await buttonOf(app, page, ONE_MINUTE));
  expect(await probe(path)).toMatch(/^h264,avc1,1800\naac,mp4a,\d+\n60\.0\d+\n$/);
  // The next one does not wait until it is removed from the list.
  const row = page.getByRole("row", { name: new RegExp(ONE_MINUTE) }).first();
  await save(page, await actionOf(row, "Save as MP4"));
  await page.getByRole("button", { name: /^Saving 2 files/ }).click();
  await expect(list(page).getByText(/the MP4 file is written/)).toHaveCount(2);
  await expectAccessible(page);
  const remove = list(page).getByRole("button", { name: /^Remove/ });
  await remove.first().click();
  await remove.click();
  await expect.poll(() => temporaryFiles(page)).toEqual([]);
  await list(page).getByRole("button", { name: "Close", exact: true }).last().click();
  await expect(page.getByRole("button", { name: /^Saving/ })).toBeHidden();
});

test("two init segments become one MP4 file that plays throughout", async ({ app, page }) => {
  expect(await probe(await save(page, await buttonOf(app, page, TWO_INIT_SEGMENTS)))).toMatch(
    /^h264,avc1,3600\n.+\n(?:119\.[5-9]|120\.[0-4])\d*\n$/,
  );
});

test("a cancelled one leaves no file behind, and the console stays usable", async ({
  app,
  page,
}) => {
  const button = await buttonOf(app, page, ONE_MINUTE);
  const held = Promise.withResolvers<void>();
  await page.route("**/media/**", async (route) => {
    await held.promise;
    await route.continue();
  });
  await button.click();
  await expect.poll(() => temporaryFiles(page)).toHaveLength(1);
  await page.getByRole("link", { name: "Upload Monitor" }).click();
  await page.getByRole("button", { name: /^Saving 1 file/ }).click();
  await list(page)
    .getByRole("button", { name: /^Cancel/ })
    .click();
  await expect(list(page).getByRole("status")).toHaveText("Cancelled");
  await expect.poll(() => temporaryFiles(page)).toEqual([]);
  held.resolve();
});

test("of a selection two are saved into one folder, and one that failed is tried again alone", async ({
  app,
  page,
}) => {
  // A folder of the browser's own in place of one that a person chooses.
  await page.addInitScript(() => {
    Object.assign(window, {
      showSaveFilePicker: () => Promise.reject(new Error("one folder is enough")),
      async showDirectoryPicker() {
        const root = await navigator.storage.getDirectory();
        const folder = await root.getDirectoryHandle("chosen", { create: true });
        const make = folder.getFileHandle.bind(folder);
        let isFull = true;
        folder.getFileHandle = async (name, options) => {
          if (!isFull || !name.includes("One minute")) return make(name, options);
          isFull = false;
          throw new DOMException("no space", "QuotaExceededError");
        };
        return folder;
      },
    });
  });
  const api = await signedInApi(app);
  const { fileKey } = await startAndAwait(api, ONE_MINUTE, "completed", { again: true });
  await startAndAwait(api, "2000000003", "completed", {
    again: true,
    part: { startSec: 63, endSec: 93 },
  });
  await page.goto("/files?layout=list");
  const rows = [
    page.getByRole("row", { name: `${fileKey}` }),
    page.getByRole("row", { name: /2000000003-63-93/ }),
  ];
  for (const row of rows) await row.first().getByRole("checkbox").check();
  await page.getByRole("button", { name: "Save as MP4", exact: true }).first().click();
  await page.getByRole("button", { name: /^(?:Saving|\d) .*file/ }).click();
  const failed = list(page).getByRole("listitem").filter({ hasText: "Failed: " });
  await failed.getByRole("button", { name: /^Try again/ }).click();
  await expect(list(page).getByText("Saved", { exact: true })).toHaveCount(2);
  const saved = await page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const found: [string, number][] = [];
    for await (const [name, handle] of (await root.getDirectoryHandle("chosen")).entries())
      if (handle instanceof FileSystemFileHandle) found.push([name, (await handle.getFile()).size]);
    return found.sort(([one], [other]) => one.localeCompare(other));
  });
  expect(saved).toEqual([
    [expect.stringMatching(/Part 0.01.03-0.01.33 of .+\.mp4$/), expect.any(Number)],
    [expect.stringMatching(/One minute .+\.mp4$/), expect.any(Number)],
  ]);
  for (const [, sizeBytes] of saved) expect(sizeBytes).toBeGreaterThan(100_000);
});

test("a clip is marked, played, and saved from a key frame on", async ({ app, page }) => {
  const { id } = await startAndAwait(await signedInApi(app), ONE_MINUTE, "completed", {
    again: true,
  });
  await page.goto(`/watch/${id}?t=21s`);
  const player = page.getByRole("region", { name: "Player" });
  await expect(player.getByText("0:21 / 1:00")).toBeVisible();
  await page.keyboard.press("i");
  const clip = page.getByRole("region", { name: "Clip" });
  await expect(clip.getByLabel("Start")).toHaveValue("0:21");
  await clip.getByLabel("End").fill("0:12");
  await expect(clip.getByRole("status")).toHaveText("The end must be after the start.");
  await expect(clip.getByRole("button", { name: "Save clip" })).toBeDisabled();
  await clip.getByLabel("End").fill("0:31");
  await expectAccessible(page);

  await clip.getByRole("button", { name: "Play clip" }).click();
  const video = page.locator("video");
  await expect
    .poll(() => video.evaluate((one: HTMLVideoElement) => one.currentTime))
    .toBeGreaterThan(21.5);
  // On a busy machine the ten seconds may be over, and with them the button to pause.
  await video.evaluate((one: HTMLVideoElement) => one.pause());

  const saved = await save(page, clip.getByRole("button", { name: "Save clip" }));
  // Ten seconds, and what precedes them back to a key frame.
  expect(await probe(saved)).toMatch(/\n(?:9\.9|1[0-2]\.)\d+\n$/);
});

async function buttonOf(app: RunningApp, page: Page, vodId: string): Promise<Locator> {
  await startAndAwait(await signedInApi(app), vodId, "completed", { again: true });
  await page.goto("/files");
  return actionOf(page.getByRole("row", { name: new RegExp(vodId) }).first(), "Save as MP4");
}

/** @returns where the browser saved the file */
async function save(page: Page, button: Locator): Promise<string> {
  const download = page.waitForEvent("download");
  await button.click();
  const path = await (await download).path();
  expect((await download).suggestedFilename()).toMatch(/\.mp4$/);
  return path;
}

function temporaryFiles(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const names: string[] = [];
    const root = await navigator.storage.getDirectory();
    for await (const name of root.keys()) names.push(name);
    return names;
  });
}

/** What ffmpeg finds when it decodes the whole file: streams and the duration. Any complaint fails. */
async function probe(path: string): Promise<string> {
  const options = "-v error -count_frames -of csv=p=0 -show_entries".split(" ");
  const entries = "stream=codec_name,codec_tag_string,nb_read_frames:format=duration";
  const { stdout, stderr } = await promisify(execFile)("ffprobe", [...options, entries, path]);
  expect(stderr).toBe("");
  return stdout;
}

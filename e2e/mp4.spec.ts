import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/journey.ts";
import type { RunningApp } from "./fixtures/running-app.ts";

test.use({ scene: "mp4" });

const ONE_MINUTE = "2000000002";
/** H.264 in fMP4; the picture's size and profile change after 50 s. */
const TWO_INIT_SEGMENTS = "2000001040";

const dialog = (page: Page) => page.getByRole("dialog", { name: "Save as MP4" });

test.beforeEach(async ({ bringSession, page }) => {
  // Headless Chromium has a file picker that nobody can operate; Firefox and Safari have none.
  await page.addInitScript(() => Reflect.deleteProperty(window, "showSaveFilePicker"));
  await bringSession("Avery Admin");
});

test("an MPEG-TS archive is saved as MP4, without leftovers", async ({ app, page }) => {
  await openDialog(app, page, ONE_MINUTE);
  await expectAccessible(page);
  const path = await save(page);
  await expectAccessible(page);
  expect(await probe(path)).toMatch(/^h264,avc1,1800\naac,mp4a,\d+\n60\.0\d+\n$/);
  await dialog(page).getByRole("button", { name: "Done" }).click();
  await expect(dialog(page)).toBeHidden();
  await expect.poll(() => temporaryFiles(page)).toEqual([]);
});

test("two init segments become one MP4 file that plays throughout", async ({ app, page }) => {
  await openDialog(app, page, TWO_INIT_SEGMENTS);
  expect(await probe(await save(page))).toMatch(
    /^h264,avc1,3600\n.+\n(?:119\.[5-9]|120\.[0-4])\d*\n$/,
  );
});

test("a cancelled download leaves no file behind", async ({ app, page }) => {
  await openDialog(app, page, ONE_MINUTE);
  const held = Promise.withResolvers<void>();
  await page.route("**/media/**", async (route) => {
    await held.promise;
    await route.continue();
  });
  await dialog(page).getByRole("button", { name: "Save", exact: true }).click();
  await expect(dialog(page).getByRole("progressbar")).toBeVisible();
  await expect.poll(() => temporaryFiles(page)).toHaveLength(1);
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeVisible();
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await expect(dialog(page).getByRole("button", { name: "Save", exact: true })).toBeEnabled();
  expect(await temporaryFiles(page)).toEqual([]);
  held.resolve();
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
  await expect(player.getByRole("button", { name: "Pause" })).toBeVisible();
  await player.getByRole("button", { name: "Pause" }).click();

  const saved = await save(page, "Save clip", clip.getByRole("button", { name: "Save clip" }));
  // Ten seconds, and what precedes them back to a key frame.
  expect(await probe(saved)).toMatch(/\n(?:9\.9|1[0-2]\.)\d+\n$/);
});

async function openDialog(app: RunningApp, page: Page, vodId: string): Promise<void> {
  await startAndAwait(await signedInApi(app), vodId, "completed", { again: true });
  await page.goto("/files");
  await page
    .getByRole("row", { name: new RegExp(vodId) })
    .first()
    .getByRole("button", { name: /^Save as MP4/ })
    .click();
  await expect(dialog(page).getByRole("button", { name: "Save", exact: true })).toBeEnabled();
}

/** @returns where the browser saved the file */
async function save(
  page: Page,
  title = "Save as MP4",
  button = dialog(page).getByRole("button", { name: "Save", exact: true }),
): Promise<string> {
  const saving = page.getByRole("dialog", { name: title });
  const download = page.waitForEvent("download");
  await button.click();
  const path = await (await download).path();
  expect((await download).suggestedFilename()).toMatch(/\.mp4$/);
  await expect(saving.getByRole("status")).toContainText("is written");
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

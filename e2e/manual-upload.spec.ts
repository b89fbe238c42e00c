import { hash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { expect, test } from "./fixtures/journey.ts";
import { downloadedSha256, openNewArchive } from "./fixtures/new-archive.ts";
import { recordVideo } from "./fixtures/recorded-video.ts";

/** Two requests of the console's client, and not a multiple of the part size. */
const SIZE_BYTES = 40_000_003;

test.beforeEach(({ signIn }) => signIn("Avery Admin"));

test("a file that was paused and resumed is stored byte for byte", async ({ page }, testInfo) => {
  const bytes = randomBytes(SIZE_BYTES);
  const path = testInfo.outputPath("holiday.mp4");
  await writeFile(path, bytes);
  const second = await holdSecondPiece(page);

  const dialog = await send(page, path);
  await expect(dialog.getByText("Sending", { exact: true })).toBeVisible();
  await second.isHeld();
  await dialog.getByRole("button", { name: "Pause holiday.mp4" }).click();
  await expect(dialog.getByText("Paused")).toBeVisible();
  await expectAccessible(page);

  // The dialog can be closed during the upload; every screen leads back to it.
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole("link", { name: "System", exact: true }).click();
  await expect(page.getByRole("heading", { name: "System", exact: true })).toBeVisible();
  const sending = page.getByRole("link", { name: /^1 file not sent \d+%$/ });
  await sending.click();
  second.release();
  await dialog.getByRole("button", { name: "Resume holiday.mp4" }).click();
  await expect(dialog.getByText("Stored and verified")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(sending).toHaveCount(0);

  const row = page.getByRole("row", { name: /holiday\.mp4/ });
  await expect(row.getByText("Completed")).toBeVisible();
  expect(await downloadedSha256(row)).toBe(hash("sha256", bytes));
});

test("a file cancelled during its upload ends as cancelled", async ({ page }, testInfo) => {
  const path = testInfo.outputPath("unwanted.mp4");
  await writeFile(path, randomBytes(SIZE_BYTES));
  const second = await holdSecondPiece(page);
  const dialog = await send(page, path);
  await second.isHeld();
  await dialog.getByRole("button", { name: "Cancel unwanted.mp4" }).click();
  second.release();
  await expect(dialog.getByText("Cancelled", { exact: true })).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("row", { name: /unwanted\.mp4/ });
  await expect(row.getByText("Cancelled")).toBeVisible();
});

test("two files are sent at a time, and each in one tab only", async ({ page }, testInfo) => {
  const paths = ["first.mp4", "second.mp4", "third.mp4"].map((name) => testInfo.outputPath(name));
  for (const path of paths) await writeFile(path, randomBytes(100_000));
  const released = Promise.withResolvers<void>();
  await page.route("**/admin/uploads/manual/*", async (route) => {
    if (route.request().method() === "PATCH") await released.promise;
    await route.continue().catch(() => undefined);
  });
  const dialog = await send(page, paths);
  const states = dialog.getByRole("listitem").getByRole("status");
  await expect(states).toHaveText(["Sending", "Sending", "Waiting"]);

  const otherTab = await page.context().newPage();
  await otherTab.goto(new URL("/", page.url()).href);
  const otherDialog = await send(otherTab, paths.slice(0, 1));
  await expect(
    otherDialog.getByText("Failed: This file is being sent in another tab."),
  ).toBeVisible();

  released.resolve();
  await expect(states).toHaveText(Array<string>(3).fill("Stored and verified"));
});

test("a file that changes while it is sent stops with a reason", async ({
  page,
  quietConsole,
}, testInfo) => {
  quietConsole.allow(/ERR_UPLOAD_FILE_CHANGED/);
  const path = testInfo.outputPath("edited.mp4");
  await writeFile(path, randomBytes(SIZE_BYTES));
  const second = await holdSecondPiece(page);
  const dialog = await send(page, path);
  await second.isHeld();
  await writeFile(path, randomBytes(1_000));
  second.release();
  await expect(dialog.getByText(/^Failed: This file was changed, moved or deleted/)).toBeVisible();
});

test("a video in a browser format plays from storage with range requests", async ({ page }) => {
  const buffer = Buffer.from(await page.evaluate(recordVideo), "base64");
  const row = await store(page, { name: "clip.webm", mimeType: "video/webm", buffer });
  const picture = row.locator("img[src$='/thumbnail']");
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(320);
  const ranged = page.waitForRequest((request) => request.headers()["range"] !== undefined);
  await row.getByRole("button", { name: /actions/i }).click();
  await page.getByRole("menuitem", { name: "Watch" }).click();
  expect((await ranged).url()).toContain("/media/");
  const video = page.locator("video");
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.videoWidth))
    .toBe(64);
  await expect(page.getByRole("alert")).toBeHidden();
});

test("a file that only claims to be a video shows that it can't be played", async ({ page }) => {
  const buffer = randomBytes(5_000);
  const row = await store(page, { name: "claim.mp4", mimeType: "video/mp4", buffer });
  await row.getByRole("button", { name: /actions/i }).click();
  await page.getByRole("menuitem", { name: "Watch" }).click();
  await expect(
    page.getByText("This file can't be played in the browser. Download it instead."),
  ).toBeVisible();
});

async function send(page: Page, files: Parameters<Locator["setInputFiles"]>[0]): Promise<Locator> {
  const dialog = await openNewArchive(page);
  await dialog.getByLabel(/drop video files here/i).setInputFiles(files);
  return dialog;
}

/** @returns the row of the stored file */
async function store(page: Page, file: { name: string; mimeType: string; buffer: Buffer }) {
  const dialog = await send(page, file);
  await expect(dialog.getByText("Stored and verified")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  const row = page.getByRole("row", { name: new RegExp(file.name) });
  await expect(row.getByText("Completed")).toBeVisible();
  return row;
}

/** Holds the second of the client's requests until it is released. */
async function holdSecondPiece(page: Page) {
  const released = Promise.withResolvers<void>();
  let patches = 0;
  await page.route("**/admin/uploads/manual/*", async (route) => {
    if (route.request().method() === "PATCH" && ++patches === 2) await released.promise;
    await route.continue().catch(() => undefined);
  });
  return {
    isHeld: () => expect.poll(() => patches).toBe(2),
    release: () => released.resolve(),
  };
}

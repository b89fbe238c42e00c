import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { grantModerator, signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/journey.ts";
import { expectToast } from "./fixtures/seen.ts";

const ONE_MINUTE = "2000000002";
/** Segments 2, 3 and 7 are muted, counted from 0. */
const MUTED = "2000001050";
/** 15 minutes with two chapters, and a chat that comes in waves. */
const WITH_CHAPTERS = "2000000003";

const video = (page: Page) => page.locator("video");
const slider = (page: Page) => page.getByRole("slider", { name: "Seek" });

function positionOf(page: Page) {
  return expect.poll(() => video(page).evaluate((one: HTMLVideoElement) => one.currentTime));
}

function secondsOf(text: string | null): number {
  const [, hours, minutes, seconds] = /(\d+):(\d\d):(\d\d)/.exec(text ?? "") ?? [];
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

/** Waits until frames are decoded. */
async function expectFrames(page: Page): Promise<void> {
  await expect
    .poll(() => video(page).evaluate((one: HTMLVideoElement) => one.readyState))
    .toBeGreaterThanOrEqual(2);
}

test("an archive seeks by timeline and keys, and resumes later", async ({
  app,
  page,
  bringSession,
}) => {
  const { id } = await startAndAwait(await signedInApi(app), ONE_MINUTE, "completed");
  await bringSession("Avery Admin");
  await page.goto("/uploads");
  await page
    .getByRole("row", { name: new RegExp(ONE_MINUTE) })
    .getByRole("link", { name: "Watch One minute above the clouds" })
    .click();
  await expect(page).toHaveURL(`/watch/${id}`);
  await expect(page).toHaveTitle(/^One minute above the clouds/);
  await expectFrames(page);
  await expect(page.getByText("0:00 / 1:00")).toBeVisible();

  await slider(page).hover();
  await expect(page.getByText("0:30", { exact: true })).toBeVisible();
  await slider(page).click();
  await positionOf(page).toBeCloseTo(30, 0);
  await expect(slider(page)).toHaveAttribute("aria-valuetext", /^(?:29|30) seconds of 1 minute$/);

  await page.getByRole("heading", { level: 1 }).focus();
  await page.keyboard.press("l");
  await positionOf(page).toBeCloseTo(40, 0);
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowRight");
  await positionOf(page).toBeCloseTo(35, 0);
  await page.keyboard.press("2");
  await positionOf(page).toBeCloseTo(12, 0);
  const before = await video(page).evaluate((one: HTMLVideoElement) => one.currentTime);
  await page.keyboard.press(".");
  await positionOf(page).toBeCloseTo(before + 1 / 30, 2);
  await page.keyboard.press("m");
  await expect(video(page)).toHaveJSProperty("muted", true);
  await page.keyboard.press(">");
  await expect(page.getByLabel("Speed")).toHaveValue("1.25");

  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await positionOf(page).toBeGreaterThan(13);
  await page.keyboard.press("k");
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();

  await page.reload();
  await expectFrames(page);
  await positionOf(page).toBeGreaterThan(11);
  await expect(video(page)).toHaveJSProperty("muted", true);
  await expect(video(page)).toHaveJSProperty("playbackRate", 1.25);
  await page.getByRole("button", { name: "Start over" }).click();
  await positionOf(page).toBe(0);

  await page.keyboard.press("?");
  await expect(page.getByRole("heading", { name: "Watching a video" })).toBeVisible();
  await page.keyboard.press("Escape");
  // The second key counts for 1.5 s, for which a busy machine may delay it.
  await expect(async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await expect(page).toHaveURL("/uploads/failed", { timeout: 5_000 });
  }).toPass();
});

test("a link opens at its time, and is copied", async ({ app, page, context, bringSession }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { id } = await startAndAwait(await signedInApi(app), MUTED, "completed");
  await bringSession("Avery Admin");
  await page.goto(`/watch/${id}?t=25s`);
  await expectFrames(page);
  await positionOf(page).toBeCloseTo(25, 0);
  await expect(slider(page)).toHaveAttribute("aria-valuetext", /, Muted$/);

  // On phones the facts are one of the tabs.
  const facts = page.getByRole("tab", { name: "Facts" });
  if (await facts.isVisible()) await facts.click();
  await page.getByRole("button", { name: "0:01:10 to 0:01:20" }).click();
  await positionOf(page).toBeCloseTo(70, 0);
  await page.getByRole("button", { name: "Copy link at this time" }).click();
  await expectToast(page, "Link copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${app.url}/watch/${id}?t=1m10s`,
  );

  await slider(page).focus();
  await page.keyboard.press("Home");
  await expect.poll(() => page.locator("[data-storyboard] img").count()).toBe(1);
});

test("peaks, messages and chapters lead to times", async ({ app, page, bringSession }) => {
  const { id } = await startAndAwait(await signedInApi(app), WITH_CHAPTERS, "completed");
  await bringSession("Avery Admin");
  await page.goto(`/watch/${id}`);

  const peaks = page.getByRole("button", { name: /^Chat peak at / });
  await expect(peaks).not.toHaveCount(0);
  const peakSec = secondsOf(await peaks.last().getAttribute("aria-label"));
  expect(peakSec).toBeGreaterThan(600);
  await peaks.last().focus();
  await page.keyboard.press("Enter");
  await positionOf(page).toBeCloseTo(peakSec, -1);
  const chat = page.getByRole("list", { name: "Chat replay" });
  const now = chat.locator("[aria-current] button");
  // Below the video on a phone.
  await page.getByRole("button", { name: "Chat as text" }).scrollIntoViewIfNeeded();
  await expect(now).toBeInViewport();
  await expect
    .poll(async () => Math.abs(secondsOf(await now.textContent()) - peakSec))
    .toBeLessThan(30);

  const search = page.getByRole("searchbox", { name: "Search chat..." });
  await search.fill("LIKE a Whale");
  await expect(page.getByText(/^\d+ messages found$/)).toBeVisible();
  const found = chat.getByRole("button");
  await expect(found.first().locator("mark")).toHaveText("like a whale");
  const foundSec = secondsOf(await found.first().textContent());
  await found.first().click();
  await positionOf(page).toBeCloseTo(foundSec, 0);
  await expectFrames(page);
  await expect(search).toHaveValue("LIKE a Whale");

  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Chat as text" }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toMatch(/\[2000000003\]\.chat\.txt$/);
  const text = await readFile(await saved.path(), "utf8");
  expect(text).toMatch(/^(?:\[0:\d\d:\d\d\] [^\n]+\n)+$/);
  expect(text).toContain(": that cloud looks like a whale\n");

  await page.getByRole("tab", { name: "Chapters" }).click();
  await page.getByRole("button", { name: /Just Chatting$/ }).click();
  await positionOf(page).toBeCloseTo(450, 0);
});

test("unplayable videos show the reason", async ({ app, page, bringSession, quietConsole }) => {
  quietConsole.allow(/Failed to load resource/);
  const api = await signedInApi(app);
  const failed = await startAndAwait(api, "2000001060", "failed");
  await bringSession("Avery Admin");
  await page.goto(`/watch/${failed.id}`);
  await expect(page.getByText("This video has no file")).toBeVisible();
  await expect(page.getByText("Twitch shows this VOD to subscribers only.")).toBeVisible();
  const undecodable = await startAndAwait(api, "2000001030", "completed");
  await page.goto(`/watch/${undecodable.id}`);
  await expect(page.getByText("This browser can't play HEVC video.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save as MP4" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Player" })).toBeHidden();
  await page.goto("/watch/nothing");
  await expect(page.getByText("There is nothing to watch here")).toBeVisible();

  await grantModerator(app, ["read:users"]);
  await bringSession("Mo Moderator");
  await page.goto(`/watch/${failed.id}`);
  await expect(page.getByText("read:uploads")).toBeVisible();
});

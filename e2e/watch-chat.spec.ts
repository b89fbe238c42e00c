import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/journey.ts";

test.use({ scene: "watch-chat" });

/** 15 minutes with two chapters, and a chat that comes in waves. */
const WITH_CHAPTERS = "2000000003";

function positionOf(page: Page) {
  return expect.poll(() =>
    page.locator("video").evaluate((video: HTMLVideoElement) => video.currentTime),
  );
}

function secondsOf(text: string | null): number {
  const [, hours, minutes, seconds] = /(\d+):(\d\d):(\d\d)/.exec(text ?? "") ?? [];
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

test("peaks of the chat, found messages and chapters lead to their times, and the chat is saved as text", async ({
  app,
  page,
  bringSession,
  expectAccessible,
}) => {
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
  expect(Math.abs(secondsOf(await now.textContent()) - peakSec)).toBeLessThan(30);
  // At the page's top, the bar that stays there covers no control.
  await page.getByRole("heading", { level: 1 }).focus();
  await expectAccessible(page);

  await page.getByRole("searchbox", { name: "Search chat..." }).fill("LIKE a Whale");
  await expect(page.getByText(/^\d+ messages found$/)).toBeVisible();
  const found = chat.getByRole("button");
  await expect(found.first()).toContainText("that cloud looks like a whale");
  const foundSec = secondsOf(await found.first().textContent());
  await found.first().click();
  await positionOf(page).toBeCloseTo(foundSec, 0);

  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Chat as text" }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toMatch(/-2000000003\.chat\.txt$/);
  const text = await readFile(await saved.path(), "utf8");
  expect(text).toMatch(/^(?:\[0:\d\d:\d\d\] [^\n]+\n)+$/);
  expect(text).toContain(": that cloud looks like a whale\n");

  await page.getByRole("tab", { name: "Chapters" }).click();
  await page.getByRole("button", { name: /Just Chatting$/ }).click();
  await positionOf(page).toBeCloseTo(450, 0);
});

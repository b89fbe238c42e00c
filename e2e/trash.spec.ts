import type { Page } from "@playwright/test";
import { addChannels, updateChannel } from "#contract/channels.ts";
import type { Retention } from "#contract/channel-rules.ts";
import { browseFiles } from "#contract/files.ts";
import { simulateRetention } from "#contract/trash.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { signedInApi } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/journey.ts";
import { sha256Of } from "./fixtures/new-archive.ts";
import { actionOf, expectToast } from "./fixtures/seen.ts";

const PIXELPILOT = "1005";
/** Both were broadcast more than a day ago. */
const ONE_MINUTE = "2000000002";
const QUARTER_HOUR = "2000000003";

const TITLES = ["One minute above the clouds", "Sunrise approach, then coffee"];

const RETENTION: Retention = { keep: "days", days: 1 };

const rowOf = (page: Page, vod: string) => page.getByRole("row", { name: new RegExp(vod) });

test("retention takes what is not locked; it can be restored, byte for byte, and deleted", async ({
  app,
  page,
  quietConsole,
  bringSession,
}) => {
  const api = await signedInApi(app);
  // What a person archives stays, so that the rule has to.
  await api.expect(addChannels, addChannels.path, {
    body: {
      names: ["pixelpilot"],
      confirmation: { reason: "Our own channel" },
      changes: { backDays: null, titleIncludes: TITLES },
    },
  });
  const archived = async () =>
    (await api.expect(browseFiles, `${browseFiles.path}?status=complete`)).files.length;
  await expect.poll(archived).toBe(2);
  await bringSession("Avery Admin");
  await page.goto("/files");
  const minute = rowOf(page, ONE_MINUTE);
  const locked = rowOf(page, QUARTER_HOUR);
  await (await actionOf(locked, "Lock")).click();
  await expectToast(page, "File locked");
  await expect(locked.getByText("Locked", { exact: true })).toBeVisible();
  const refused = await actionOf(locked, "Delete");
  await expect(refused).toBeDisabled();
  await refused.press("Escape");

  const simulate = () =>
    api.expect(simulateRetention, simulateRetention.path, {
      body: { retention: RETENTION, channelId: PIXELPILOT },
    });
  // Nothing goes before the store was scanned.
  await expect.poll(async () => (await simulate()).kept).toEqual([{ reason: "locked", files: 1 }]);
  const { removed, digest } = await simulate();
  expect(removed.map(({ title }) => title)).toEqual(["One minute above the clouds"]);
  await api.expect(updateChannel, addressOf(updateChannel, { id: PIXELPILOT }), {
    body: { changes: { retention: RETENTION }, simulation: digest },
  });
  // Retention runs at the start, and every hour.
  quietConsole.allow(/Failed to load resource/);
  await app.stop();
  await app.start();

  await page.goto("/files?trash=only");
  await expect(minute.getByText(/^In the trash, deleted on /)).toBeVisible();
  await expect(locked).toBeHidden();
  await expectAccessible(page);
  await (await actionOf(minute, "Restore")).click();
  await expectToast(page, "Restored 1 file");
  await expect(minute).toBeHidden();

  await page.goto("/files");
  await expect(locked).toBeVisible();
  await expect(minute.getByText("Locked", { exact: true })).toBeVisible();
  expect(await sha256Of(await actionOf(minute, "Download"))).toBe(
    (await app.twitch.sourceDigest(ONE_MINUTE)).sha256,
  );
  await minute.getByRole("link", { name: "One minute above the clouds" }).click();
  const video = page.locator("video");
  await expect
    .poll(() => video.evaluate((one: HTMLVideoElement) => one.readyState))
    .toBeGreaterThanOrEqual(2);

  await page.goto("/files");
  await (await actionOf(minute, "Unlock")).click();
  await expectToast(page, "File unlocked");
  await expect(minute.getByText("Locked", { exact: true })).toBeHidden();
  await (await actionOf(minute, "Delete")).click();
  await page.getByRole("button", { name: "Delete file" }).click();
  await expectToast(page, /^File deleted: [\d.]+ MB freed$/);
  await expect(minute).toBeHidden();
  await expect(locked).toBeVisible();
});

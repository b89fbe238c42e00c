import { expectToast } from "./fixtures/seen.ts";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { expect, test } from "./fixtures/journey.ts";
import {
  archiveVod,
  confirmRights,
  downloadedSha256,
  openNewArchive,
} from "./fixtures/new-archive.ts";

/** The demonstration's two-hour VOD: 720 segments at about 6 MB/s. */
const TWO_HOURS = "2000000001";
/** One minute of the same, unpaced. */
const ONE_MINUTE = "2000000002";

test("an archived VOD matches its source byte for byte", async ({ app, page, signInByHand }) => {
  await signInByHand("Avery Admin");
  await expectToast(page, "Successfully logged in!");
  await page.getByRole("link", { name: "Upload Monitor" }).click();
  await expect(page.getByText("No uploads found")).toBeVisible();

  const dialog = await openNewArchive(page);
  await dialog.getByRole("textbox").fill(`https://www.twitch.tv/videos/${ONE_MINUTE}`);
  await dialog.getByRole("button", { name: "Preview" }).click();
  await expect(dialog.getByText("PixelPilot").first()).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Archive" }).click();

  const row = page.getByRole("row", { name: new RegExp(ONE_MINUTE) });
  await expect(row.getByText("Completed")).toBeVisible();

  expect(await downloadedSha256(row)).toBe((await app.twitch.sourceDigest(ONE_MINUTE)).sha256);
});

test("a part of a VOD is archived alone, and says so until it is completed", async ({
  page,
  signIn,
}) => {
  await signIn("Avery Admin");
  const dialog = await openNewArchive(page);
  await dialog.getByRole("textbox").fill(ONE_MINUTE);
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByLabel("From").fill("0:20");
  await dialog.getByLabel("To", { exact: true }).fill("1:30");
  await expect(dialog.getByRole("alert")).toHaveText("This VOD ends at 0:01:00.");
  await dialog.getByLabel("To", { exact: true }).fill("0:40");
  await expectAccessible(page);
  await confirmRights(dialog);
  await dialog.getByRole("button", { name: "Archive this part" }).click();

  const row = page.getByRole("row", { name: /Part 0:00:20-0:00:40 of/ });
  await expect(row.getByText("Completed")).toBeVisible();
  await row.getByRole("link", { name: /^Part/ }).click();
  await expect(page.getByText("part 0:00:20-0:00:40", { exact: true })).toBeVisible();
});

test("segments, speed and remaining time update without a reload", async ({ page, signIn }) => {
  await signIn("Avery Admin");
  await archiveVod(await openNewArchive(page), TWO_HOURS);

  const row = page.getByRole("row", { name: new RegExp(TWO_HOURS) });
  await expect(row.getByText(/\d+\/720 segments/)).toBeVisible();
  await expect(row.getByText(/MB\/s · .*left/)).toBeVisible();
  const before = (await row.getByText(/\/720 segments/).textContent()) ?? "";
  await expect(row.getByText(/\/720 segments/)).not.toHaveText(before);

  await row.getByRole("button", { name: /actions/i }).click();
  await page.getByRole("menuitem", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel upload" }).click();
  await expectToast(page, "Upload cancelled");
  await expect(row.getByText("Cancelled")).toBeVisible();
});

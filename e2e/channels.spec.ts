import { expectAccessible } from "./fixtures/accessibility.ts";
import { expect, test } from "./fixtures/journey.ts";

const PIXELPILOT = "1005";

/** Each step takes a few seconds; whether a broadcast has ended is asked again after a minute. */
const WITHIN = { timeout: 300_000 };

test("a channel that was named once has its live broadcast archived by itself", async ({
  app,
  page,
  signIn,
}) => {
  await app.twitch.goLive(PIXELPILOT, { title: "Over the fjords" });
  await signIn("Avery Admin");
  await page.getByRole("link", { name: "Channels" }).click();
  await expect(page.getByText(/^Name a channel once/)).toBeVisible();
  await page.getByRole("button", { name: "Add channels" }).last().click();
  const dialog = page.getByRole("dialog", { name: "Add channels" });
  await dialog
    .getByLabel("Names or addresses of channels")
    .fill("pixelpilot, nobody_at_all\nhttps://www.twitch.tv/scenario_sam/videos");
  await dialog.getByRole("checkbox").check();
  await dialog.getByLabel("Reason").fill("Our own channels");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Add 3 channels" }).click();
  await expect(dialog.getByText("Not found: 1 · Added: 2")).toBeVisible();
  await expect(dialog.getByRole("row", { name: /nobody_at_all/ })).toContainText("Not found");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Done" }).click();

  const row = page.getByRole("row", { name: /@pixelpilot/ });
  await expect(row.getByText("live", { exact: true })).toBeVisible(WITHIN);
  // A broadcast that has ended before its VOD was seen is one from before it was followed.
  await expect(row).toContainText("1 waiting", WITHIN);
  await app.twitch.endStream(PIXELPILOT);
  await expect(async () => {
    app.passMinute();
    await expect(row.getByText("1 stored")).toBeVisible({ timeout: 5_000 });
  }).toPass(WITHIN);
  await page.getByRole("link", { name: "File Browser" }).click();
  await expect(page.getByRole("row", { name: /Over the fjords/ })).toBeVisible();
});

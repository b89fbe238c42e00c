import { expect, test } from "./fixtures/journey.ts";
import { openNewArchive } from "./fixtures/new-archive.ts";

/** PixelPilot's two-hour VOD: 720 segments at about 6 MB/s. */
const TWO_HOURS = "2000000001";

test("an owner agrees by link, and later withdraws", async ({ app, browser, page, signIn }) => {
  await signIn("Avery Admin");
  const dialog = await openNewArchive(page);
  await dialog.getByRole("textbox").fill(TWO_HOURS);
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByRole("button", { name: "Invite the owner" }).click();
  const link = await dialog.getByRole("textbox", { name: "Link for PixelPilot" }).inputValue();
  expect(new URL(link).origin).toBe(app.url);

  const owner = await (await browser.newContext()).newPage();
  await owner.goto(link);
  await expect(owner.getByText(/Only PixelPilot \(@pixelpilot\) can agree/)).toBeVisible();
  await owner.getByRole("button", { name: "Sign in with Twitch" }).click();
  await owner.getByRole("button", { name: "PixelPilot" }).click();
  // Signing in has led back here, and agreed to nothing.
  await expect(owner.getByText("You have not agreed.", { exact: false })).toBeVisible();
  expect(owner.url()).toBe(link);
  await expect(owner.getByText(/with the names and messages of your viewers/)).toBeVisible();
  await expect(owner.getByText(/ask Avery Admin or another administrator/)).toBeVisible();
  await dialog.getByRole("button", { name: "Preview" }).click();
  await expect(dialog.getByRole("checkbox")).toBeVisible();
  await owner.getByRole("button", { name: "Agree" }).click();
  await expect(owner.getByText(/You agreed on/)).toBeVisible();

  await dialog.getByRole("button", { name: "Preview" }).click();
  await expect(dialog.getByText(/The owner agreed to archiving on/)).toBeVisible();
  await expect(dialog.getByRole("checkbox")).toHaveCount(0);
  await expect(dialog.getByRole("button", { name: "Invite the owner" })).toHaveCount(0);
  await dialog.getByRole("button", { name: "Archive" }).click();
  const row = page.getByRole("row", { name: new RegExp(TWO_HOURS) });
  await expect(row.getByText(/[1-9]\d*\/720 segments/)).toBeVisible();

  await owner.goto(`${app.url}/consent`);
  await owner.getByRole("button", { name: "Withdraw" }).click();
  await owner.getByRole("dialog").getByRole("button", { name: "Withdraw" }).click();
  await expect(owner.getByText(/You withdrew your consent on/)).toBeVisible();
  await expect(row.getByText(/has withdrawn consent/)).toBeVisible();
  // Behind the gates there is still nothing for the owner.
  await owner.goto(app.url);
  await expect(owner.getByRole("heading", { name: "Access Denied" })).toBeVisible();
  await owner.context().close();
});

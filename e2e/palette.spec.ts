import { signedInApi, startAndAwait } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/journey.ts";

/** One minute, at full speed. */
const ONE_MINUTE = "2000000002";

test("what is typed while the palette loads is kept, and no shortcut", async ({
  page,
  bringSession,
}) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/command-palette/, async (route) => {
    await released;
    await route.continue();
  });
  await bringSession("Avery Admin");
  await page.goto("/uploads");
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("gul");
  release();
  const palette = page.getByRole("combobox", { name: "Search screens and commands" });
  await expect(palette).toHaveValue("gul");
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
});

test("the palette finds uploads and users, and accepts a VOD", async ({ app, page, signIn }) => {
  await startAndAwait(await signedInApi(app), ONE_MINUTE, "completed");
  await signIn("Avery Admin");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();

  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox", { name: "Search screens and commands" });
  await palette.fill("above the clouds");
  const found = page.getByRole("option", { name: /One minute above the clouds/ });
  await expect(found).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/watch\//);
  await page.keyboard.press("Control+k");
  await palette.fill("above the clouds");
  await expect(found).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type("show");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/uploads\?upload=/);
  const drawer = page.getByRole("dialog", { name: "One minute above the clouds" });
  await expect(drawer.getByText("Progress history")).toBeVisible();
  await page.goBack();
  await expect(drawer).toBeHidden();

  await page.keyboard.press("Control+k");
  await palette.fill("pixelpilot");
  await page.getByRole("option", { name: "PixelPilot User" }).click();
  await expect(page.getByRole("dialog").getByText("@pixelpilot")).toBeVisible();
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+k");
  await palette.fill(`https://www.twitch.tv/videos/${ONE_MINUTE}`);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "New archive" });
  await expect(dialog.getByText("This VOD was archived before: completed.")).toBeVisible();
});

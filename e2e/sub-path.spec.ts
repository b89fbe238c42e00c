import { hash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { expect, test } from "./fixtures/journey.ts";
import { archiveVod, downloadedSha256, openNewArchive } from "./fixtures/new-archive.ts";

test.use({ basePath: "/archive/vods" });

/** One minute, at full speed. */
const ONE_MINUTE = "2000000002";

test("sign-in, archives, uploads and search work below a sub-path", async ({
  app,
  page,
}, testInfo) => {
  const outside: string[] = [];
  page.on("request", (request) => {
    const { origin } = new URL(app.url);
    if (request.url().startsWith(origin) && !request.url().startsWith(`${app.url}/`))
      outside.push(request.url());
  });

  await page.goto(`${app.url}/uploads?search=minute`);
  await page.getByRole("button", { name: "Sign in with Twitch" }).click();
  await page.getByRole("button", { name: "Avery Admin" }).click();
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  await expect(page).toHaveURL(`${app.url}/`);

  const dialog = await openNewArchive(page);
  await expect(page).toHaveURL(`${app.url}/uploads?archive=new`);
  await archiveVod(dialog, ONE_MINUTE);
  const archive = page.getByRole("row", { name: new RegExp(ONE_MINUTE) });
  await expect(archive.getByText("Completed")).toBeVisible();
  expect(await downloadedSha256(archive)).toBe((await app.twitch.sourceDigest(ONE_MINUTE)).sha256);

  const bytes = randomBytes(9_000_000);
  const path = testInfo.outputPath("holiday.mp4");
  await writeFile(path, bytes);
  await openNewArchive(page);
  await dialog.getByLabel(/drop video files here/i).setInputFiles(path);
  await expect(dialog.getByText("Stored and verified")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  const upload = page.getByRole("row", { name: /holiday\.mp4/ });
  await expect(upload.getByText("Completed")).toBeVisible();
  expect(await downloadedSha256(upload)).toBe(hash("sha256", bytes));

  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox", { name: "Search screens and commands" });
  await palette.fill("above the clouds");
  await expect(page.getByRole("option", { name: /One minute above the clouds/ })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("option", { name: "Show the upload" }).click();
  await expect(page).toHaveURL(new RegExp(`^${app.url}/uploads\\?upload=`));
  await page.reload();
  await expect(page.getByRole("dialog").getByRole("link", { name: "PixelPilot" })).toBeVisible();
  expect(outside).toEqual([]);
});

import { hash } from "node:crypto";
import { startOrigin, type Origin } from "#stand-ins/origin/server.ts";
import { expect, test as base } from "./fixtures/journey.ts";
import { downloadedSha256, openNewArchive } from "./fixtures/new-archive.ts";
import { recordVideo } from "./fixtures/recorded-video.ts";
import { expectToast } from "./fixtures/seen.ts";

const test = base.extend<{ readonly origin: Origin }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixture's needs from this pattern
  origin: async ({}, use) => {
    const origin = await startOrigin();
    await use(origin);
    await origin.close();
  },
  settings: async ({ origin }, use) => use({ SOURCE_HOSTS: origin.host }),
});

test("a direct URL is archived byte for byte", async ({ origin, page, signIn, quietConsole }) => {
  await signIn("Avery Admin");
  const bytes = Buffer.from(await page.evaluate(recordVideo), "base64");
  origin.put("/films/lecture.webm", { bytes, type: "video/webm", etag: '"1"' });

  const dialog = await openNewArchive(page);
  quietConsole.allow(/400 \(Bad Request\)/);
  await dialog.getByRole("textbox").fill("https://elsewhere.example/lecture.webm");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await expect(
    dialog.getByText("elsewhere.example is not one of the hosts that videos may come from."),
  ).toBeVisible();

  await dialog.getByRole("textbox").fill(`http://${origin.host}/films/lecture.webm?token=secret`);
  await dialog.getByRole("button", { name: "Preview" }).click();
  const preview = dialog.getByRole("region", { name: "Preview" });
  await expect(preview.getByRole("heading", { name: "lecture.webm" })).toBeVisible();
  await expect(preview.getByText(origin.host)).toBeVisible();
  await dialog.getByRole("checkbox", { name: /hold the rights/ }).check();
  await dialog.getByRole("button", { name: "Archive" }).click();
  await expectToast(page, "Archive started");

  const row = page.getByRole("row", { name: /lecture\.webm.*127\.0\.0\.1-lecture/ });
  await expect(row.getByText("Completed")).toBeVisible();
  await row.getByRole("button", { name: /debug/i }).click();
  await expect(page.getByText(`${origin.host}/films/lecture.webm`, { exact: true })).toBeVisible();
  await expect(page.getByText("secret")).toHaveCount(0);

  expect(await downloadedSha256(row)).toBe(hash("sha256", bytes));

  await row.getByRole("button", { name: /actions/i }).click();
  await page.getByRole("menuitem", { name: "Watch" }).click();
  const video = page.locator("video");
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.videoWidth))
    .toBe(64);

  await page.getByRole("link", { name: "File Browser" }).click();
  const file = page.getByRole("row", { name: /127\.0\.0\.1-lecture\.webm/ });
  await expect(file.getByText("Direct URL")).toBeVisible();
});

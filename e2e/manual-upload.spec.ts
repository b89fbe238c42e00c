import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "./fixtures/journey.ts";

test.use({ scene: "manual-upload" });

/** Two requests of the console's client, and not a whole number of parts. */
const SIZE_BYTES = 40_000_003;

test("a file is dropped, paused, resumed and stored byte for byte", async ({
  page,
  signIn,
  expectAccessible,
}, testInfo) => {
  const bytes = randomBytes(SIZE_BYTES);
  const path = testInfo.outputPath("holiday.mp4");
  await writeFile(path, bytes);
  const held = Promise.withResolvers<void>();
  let patches = 0;
  await page.route("**/admin/uploads/manual/*", async (route) => {
    if (route.request().method() === "PATCH" && ++patches === 2) await held.promise;
    await route.continue().catch(() => undefined);
  });

  await signIn("Avery Admin");
  await page.getByRole("link", { name: "Upload Monitor" }).click();
  await page.getByRole("button", { name: "New archive" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/drop video files here/i).setInputFiles(path);
  await expect(dialog.getByText("Sending", { exact: true })).toBeVisible();
  await expect.poll(() => patches).toBe(2);
  await dialog.getByRole("button", { name: "Pause holiday.mp4" }).click();
  await expect(dialog.getByText("Paused")).toBeVisible();
  await expectAccessible(page);
  held.resolve();
  await dialog.getByRole("button", { name: "Resume holiday.mp4" }).click();
  await expect(dialog.getByText("Sent; the store is proving it")).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel", exact: true }).click();

  const row = page.getByRole("row", { name: /holiday\.mp4/ });
  await expect(row.getByText("Completed")).toBeVisible();
  await row.getByRole("button", { name: /actions/i }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /download/i }).click();
  const stored = await readFile(await (await download).path());
  expect(sha256(stored)).toBe(sha256(bytes));
});

test("a file that is cancelled on its way ends as cancelled", async ({
  page,
  signIn,
}, testInfo) => {
  const path = testInfo.outputPath("unwanted.mp4");
  await writeFile(path, randomBytes(SIZE_BYTES));
  const held = Promise.withResolvers<void>();
  let patches = 0;
  await page.route("**/admin/uploads/manual/*", async (route) => {
    if (route.request().method() === "PATCH" && ++patches === 2) await held.promise;
    await route.continue().catch(() => undefined);
  });
  await signIn("Avery Admin");
  await page.getByRole("link", { name: "Upload Monitor" }).click();
  await page.getByRole("button", { name: "New archive" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/drop video files here/i).setInputFiles(path);
  await expect.poll(() => patches).toBe(2);
  await dialog.getByRole("button", { name: "Cancel unwanted.mp4" }).click();
  held.resolve();
  await expect(dialog.getByText("Cancelled", { exact: true })).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
  const row = page.getByRole("row", { name: /unwanted\.mp4/ });
  await expect(row.getByText("Cancelled")).toBeVisible();
});

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

import type { Page } from "@playwright/test";
import { addChannels } from "#contract/channels.ts";
import { expectAccessible } from "./fixtures/accessibility.ts";
import { signedInApi } from "./fixtures/archives.ts";
import { expect, test } from "./fixtures/journey.ts";
import { expectToast } from "./fixtures/seen.ts";

const PIXELPILOT = "1005";

/** Lists are read, wanted VODs start, and the screen follows, each within a few seconds. */
const WITHIN = { timeout: 300_000 };

const rowOf = (page: Page, title: string) => page.getByRole("row", { name: new RegExp(title) });

test("a rule is tried before it is saved, and a VOD that it leaves out is archived by hand", async ({
  app,
  page,
  bringSession,
}) => {
  const api = await signedInApi(app);
  await api.expect(addChannels, addChannels.path, {
    body: { names: ["pixelpilot"], confirmation: { reason: "Our own channel" } },
  });
  await bringSession("Avery Admin");
  await page.goto(`/channels/${PIXELPILOT}`);
  await expect(page.getByText(/^You confirmed on .* Our own channel$/)).toBeVisible();
  const minute = rowOf(page, "One minute above the clouds");
  await expect(minute).toContainText("from before it was followed", WITHIN);

  await page.getByRole("button", { name: "Rule", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Title has none of").fill("calm flying");
  await dialog.getByRole("combobox", { name: "How far back" }).selectOption("Everything");
  await dialog.getByRole("button", { name: "Show what this rule would take" }).click();
  const preview = dialog.getByRole("table", { name: "VODs" });
  await expect(preview.getByRole("row", { name: /One minute/ })).toContainText("Taken");
  await expect(preview.getByRole("row", { name: /calm flying/ })).toContainText(
    "title has excluded words",
  );
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expectToast(page, "Rule saved");
  await expect(minute).not.toContainText("Not archived");

  const highlight = rowOf(page, "the landing everyone talks about");
  await expect(highlight).toContainText("of another kind");
  await highlight.getByRole("button", { name: /^Actions/ }).click();
  await page.getByRole("menuitem", { name: "Archive", exact: true }).click();
  await expectToast(page, "1 VOD will be archived");
  for (const row of [minute, highlight]) await expect(row).toContainText("Stored", WITHIN);
  await highlight.getByRole("link", { name: "Watch" }).click();
  await page.getByRole("link", { name: "Followed channel" }).click();
  await expect(page.getByRole("heading", { name: "PixelPilot" })).toBeVisible();
});

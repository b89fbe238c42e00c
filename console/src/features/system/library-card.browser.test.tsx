import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { type Library, readLibrary, rebuildLibrary } from "#contract/library.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

function showCard(library: Partial<Library> | null) {
  const service = scriptService();
  signIn();
  service.answer(readLibrary, () => ({
    library: library && { folder: "/media/vods", ...library },
  }));
  mountConsole("/system?view=storage");
  return service;
}

const title = page.getByRole("heading", { name: "Library Folder" });

test("the card says what is listed, what is not, and why", async () => {
  const service = showCard({
    stored: 414,
    listed: 409,
    withoutConsent: 3,
    withoutDate: 1,
    problems: [{ path: "PixelPilot/one", text: "Another file of this name is there." }],
    failure: { sinceAt: "2026-11-23T03:00:00.000Z", text: "The disk is full." },
  });
  for (const text of [
    "/media/vods",
    "409 of 414 VODs",
    /^3 VODs: the owners have not agreed/,
    "The disk is full.",
    "PixelPilot/one: Another file of this name is there.",
  ])
    await expect.element(page.getByText(text)).toBeVisible();
  await expectAccessible(ALL_RULES);
  service.answer(rebuildLibrary, () => ({}));
  await page.getByRole("button", { name: "Rebuild" }).click();
  const dialog = page.getByRole("dialog", { name: "Rebuild the library folder" });
  await dialog.getByRole("button", { name: "Rebuild" }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.poll(() => service.calls).toContain("POST /admin/library/rebuild");
});

test("without a library folder there is no card", async () => {
  const service = showCard(null);
  await expect.poll(() => service.calls).toContain("GET /admin/library");
  await expect.element(page.getByText("Storage by Channel")).toBeVisible();
  await expect.element(title).not.toBeInTheDocument();
});

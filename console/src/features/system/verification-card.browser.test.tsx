import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { PERMISSIONS } from "#contract/permissions.ts";
import { readVerification, verifyEverything } from "#contract/verification.ts";
import { VERIFICATION } from "#console/testing/answer-system-full.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

test("the cost is named before everything is verified, and then what is left", async () => {
  const service = scriptService();
  signIn();
  let left = {};
  service.answer(readVerification, () => ({ ...VERIFICATION, ...left }));
  service.answer(verifyEverything, () => {
    left = { filesLeft: 12, bytesLeft: 1_024 };
    return { files: 12 };
  });
  mountConsole("/system?view=storage");
  await expect.element(page.getByText("once in 60 days")).toBeVisible();
  await expect.element(page.getByText("about $45.65")).toBeVisible();
  await page.getByRole("button", { name: "Verify Everything" }).click();
  await expect.element(page.getByText(/Reading costs about \$90\.05\.$/)).toBeVisible();
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  await expect.element(page.getByText("12 files left, 1 KB")).toBeVisible();
});

test("no cost is named where nobody sends a bill", async () => {
  const service = scriptService();
  signIn(PERMISSIONS, "folder");
  service.answer(readVerification, () => VERIFICATION);
  mountConsole("/system?view=storage");
  await expect.element(page.getByText("once in 60 days")).toBeVisible();
  await page.getByRole("button", { name: "Verify Everything" }).click();
  await expect.element(page.getByText(/while no archive runs\.$/)).toBeVisible();
  await expect.element(page.getByText(/[Cc]ost|\$/)).not.toBeInTheDocument();
});

import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { allowMessage } from "#console/testing/console-messages.ts";
import { mount } from "#console/testing/mount.tsx";
import { Card } from "./card.tsx";
import { Dialog } from "./dialog.tsx";

let isBroken = true;

function Fragile() {
  if (isBroken) throw new Error("It broke");
  return <p>It works</p>;
}

test("a failing panel leaves others intact, and Retry renders it again", async () => {
  allowMessage(/It broke/);
  mount(
    <>
      <Card title="Fragile">
        <Fragile />
      </Card>
      <Card title="Solid">Solid content</Card>
    </>,
  );
  await expect.element(page.getByText("This part could not be shown")).toBeVisible();
  await expect.element(page.getByRole("heading", { name: "Fragile" })).toBeVisible();
  await expect.element(page.getByText("Solid content")).toBeVisible();
  isBroken = false;
  await page.getByRole("button", { name: "Retry" }).click();
  await expect.element(page.getByText("It works")).toBeVisible();
});

test("a dialog with failing content can be closed", async () => {
  allowMessage(/It broke/);
  isBroken = true;
  let isClosed = false;
  mount(
    <Dialog title="Fragile" onClose={() => (isClosed = true)}>
      <Fragile />
    </Dialog>,
  );
  const dialog = page.getByRole("dialog", { name: "Fragile" });
  await expect.element(dialog.getByText("This part could not be shown")).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  expect(isClosed).toBe(true);
});

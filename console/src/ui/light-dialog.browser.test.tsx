import { useState } from "react";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { pressAt } from "#console/testing/press-at.ts";
import { LightDialog } from "./light-dialog.tsx";

const dialog = page.getByRole("dialog");

function Drawer() {
  const [open, setOpen] = useState(true);
  return open ? (
    <LightDialog label="Navigation" className={undefined} onClose={() => setOpen(false)}>
      <p>Some content</p>
    </LightDialog>
  ) : (
    <p>Closed</p>
  );
}

async function expectClosed(): Promise<void> {
  await expect.element(page.getByText("Closed")).toBeVisible();
  await expect.element(dialog).not.toBeInTheDocument();
}

test("closes on Escape", async () => {
  mount(<Drawer />);
  await expect.element(dialog).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expectClosed();
});

test("closes on a click outside, but not inside", async () => {
  mount(<Drawer />);
  await page.getByText("Some content").click();
  await expect.element(dialog).toBeVisible();
  await pressAt(5, 790);
  await expectClosed();
});

test("closes on a click outside without closedby, as on an iPhone", async () => {
  mount(<Drawer />);
  await expect.element(dialog).toBeVisible();
  dialog.element().removeAttribute("closedby");
  await page.getByText("Some content").click();
  await expect.element(dialog).toBeVisible();
  await pressAt(5, 790);
  await expectClosed();
});

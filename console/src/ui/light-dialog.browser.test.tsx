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

test("Escape closes", async () => {
  mount(<Drawer />);
  await expect.element(dialog).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expectClosed();
});

test("a press outside closes, one inside does not", async () => {
  mount(<Drawer />);
  await page.getByText("Some content").click();
  await expect.element(dialog).toBeVisible();
  await pressAt(5, 790);
  await expectClosed();
});

test("without `closedby`, as on an iPhone, a press outside closes too", async () => {
  mount(<Drawer />);
  await expect.element(dialog).toBeVisible();
  dialog.element().removeAttribute("closedby");
  await page.getByText("Some content").click();
  await expect.element(dialog).toBeVisible();
  await pressAt(5, 790);
  await expectClosed();
});

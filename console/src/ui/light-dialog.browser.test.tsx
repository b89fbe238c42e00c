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

test.each(["", " without closedby, as on an iPhone"])(
  "closes on a click outside%s, but not inside",
  async (without) => {
    mount(<Drawer />);
    await expect.element(dialog).toBeVisible();
    if (without !== "") dialog.element().removeAttribute("closedby");
    await page.getByText("Some content").click();
    await expect.element(dialog).toBeVisible();
    await pressAt(5, 790);
    await expectClosed();
  },
);

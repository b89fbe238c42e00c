import { useState } from "react";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { Button } from "./button.tsx";

test("busy and disabled buttons do nothing; a disabled one with a reason is focusable and described", async () => {
  const onClick = vi.fn<() => void>();
  mount(
    <>
      <Button busy onClick={onClick}>
        Busy
      </Button>
      <Button disabledReason="It is running." onClick={onClick}>
        With a reason
      </Button>
      <Button onClick={onClick}>Enabled</Button>
    </>,
  );
  const reasoned = page.getByRole("button", { name: "With a reason" });
  await page.getByRole("button", { name: "Busy" }).click({ force: true });
  await reasoned.click({ force: true });
  await userEvent.keyboard("{Enter} ");
  await expect.element(reasoned).toHaveFocus();
  await expect.element(reasoned).toHaveAccessibleDescription("It is running.");
  expect(onClick).not.toHaveBeenCalled();
  await userEvent.keyboard("{Tab}{Enter}");
  expect(onClick).toHaveBeenCalledTimes(1);
});

function SaveOnce() {
  const [saved, setSaved] = useState(false);
  return (
    <Button disabledReason={saved ? "Nothing to save." : undefined} onClick={() => setSaved(true)}>
      Save
    </Button>
  );
}

test("a button that its own click disables keeps the focus", async () => {
  mount(<SaveOnce />);
  const save = page.getByRole("button", { name: "Save" });
  await save.click();
  await expect.element(save).toHaveAccessibleDescription("Nothing to save.");
  await expect.element(save).toHaveFocus();
});

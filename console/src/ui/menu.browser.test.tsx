import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { pressAt } from "#console/testing/press-at.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";
import { Actions } from "./menu.stories.tsx";

const trigger = page.getByRole("button", { name: "Sample menu" });
const menu = page.getByRole("menu", { name: "Sample menu" });
const item = (name: string | RegExp) => page.getByRole("menuitem", { name });

async function open(): Promise<void> {
  mount(<Actions />);
  await expect.element(trigger).toHaveAttribute("aria-expanded", "false");
  trigger.element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(trigger).toHaveAttribute("aria-expanded", "true");
  await expect.element(item("Shown now")).toHaveFocus();
}

test("arrows, Home, End and first letters move focus and wrap around", async () => {
  await open();
  for (const [keys, name] of [
    ["{ArrowUp}", "Delete"],
    ["{ArrowDown}", "Shown now"],
    ["{End}", "Delete"],
    ["{Home}", "Shown now"],
    ["{ArrowDown}", "Refresh"],
    ["d", "Delete"],
    ["s", "Shown now"],
  ] as const) {
    await userEvent.keyboard(keys);
    await expect.element(item(name)).toHaveFocus();
  }
});

test("choosing an item runs it, closes the menu and returns focus", async () => {
  await open();
  await userEvent.keyboard("r{Enter}");
  await expect.poll(toastTexts).toContain("Refreshed");
  await expect.element(menu).not.toBeInTheDocument();
  await expect.element(trigger).toHaveFocus();
});

test("Escape closes and returns focus; Tab closes, too", async () => {
  await open();
  await userEvent.keyboard("{Escape}");
  await expect.element(menu).not.toBeInTheDocument();
  await expect.element(trigger).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(item("Shown now")).toHaveFocus();
  await userEvent.keyboard("{Tab}");
  await expect.element(menu).not.toBeInTheDocument();
});

test("closes on a click outside", async () => {
  await open();
  await pressAt(600, 600);
  await expect.element(menu).not.toBeInTheDocument();
  await expect.element(trigger).toHaveAttribute("aria-expanded", "false");
});

test("a disabled item shows its reason, is focusable and does nothing", async () => {
  await open();
  const archive = item(/^Archive/);
  await userEvent.keyboard("a");
  await expect.element(archive).toHaveFocus();
  await expect.element(archive).toBeDisabled();
  await expect.element(archive.getByText("It is running.")).toBeVisible();
  await userEvent.keyboard("{Enter}");
  await expect.element(menu).toBeVisible();
  await expect.element(page.getByText("A disabled item was chosen")).not.toBeInTheDocument();
});

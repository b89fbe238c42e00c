import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { pressAt } from "#console/testing/press-at.ts";
import { Description } from "./tooltip.stories.tsx";

const TEXT = "More about it, on hover and on focus";
const control = page.getByRole("button", { name: "With a tooltip" });
const tooltip = page.getByRole("tooltip");

test("is the description, shown or not", async () => {
  mount(<Description />);
  await expect.element(control).toHaveAccessibleDescription(TEXT);
  await expect.element(tooltip).not.toBeInTheDocument();
});

test("shows on keyboard focus, and Escape dismisses it without moving the focus", async () => {
  mount(<Description />);
  await expect.element(control).toBeVisible();
  await userEvent.keyboard("{Tab}");
  await expect.element(tooltip).toHaveTextContent(TEXT);
  await expect.element(control).toHaveAccessibleDescription(TEXT);
  await userEvent.keyboard("{Escape}");
  await expect.element(tooltip).not.toBeInTheDocument();
  await expect.element(control).toHaveFocus();
});

test("shows on hover, also while the pointer is on the tooltip itself", async () => {
  mount(<Description />);
  await userEvent.hover(control);
  await expect.element(tooltip).toBeVisible();
  await userEvent.hover(tooltip);
  await expect.element(tooltip).toBeVisible();
  await userEvent.hover(page.elementLocator(document.documentElement), {
    position: { x: 900, y: 700 },
    force: true,
  });
  await expect.element(tooltip).not.toBeInTheDocument();
});

test("leaves on a press", async () => {
  mount(<Description />);
  await userEvent.hover(control);
  await expect.element(tooltip).toBeVisible();
  await control.click();
  await expect.element(tooltip).not.toBeInTheDocument();
  await pressAt(900, 700);
});

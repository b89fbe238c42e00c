import { afterEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { pressAt } from "#console/testing/press-at.ts";
import { until } from "#console/testing/until.ts";
import { Description } from "./tooltip.stories.tsx";

const TEXT = "More about it, on hover and on focus";
const control = page.getByRole("button", { name: "With a tooltip" });
const tooltip = page.getByRole("tooltip");

afterEach(async () => {
  vi.useRealTimers();
  // A pointer that stays where the next control appears does not enter it.
  await pressAt(900, 700);
});

test("describes its control even while hidden, shows on focus and hides on Escape", async () => {
  mount(<Description />);
  await expect.element(control).toHaveAccessibleDescription(TEXT);
  await expect.element(tooltip).not.toBeInTheDocument();
  await userEvent.keyboard("{Tab}");
  await expect.element(tooltip).toHaveTextContent(TEXT);
  await expect.element(control).toHaveAccessibleDescription(TEXT);
  await userEvent.keyboard("{Escape}");
  await expect.element(tooltip).not.toBeInTheDocument();
  await expect.element(control).toHaveFocus();
});

test("stays while the control or the tooltip is hovered", async () => {
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

test("stays while the pointer crosses the gap between control and tooltip", async () => {
  mount(<Description />);
  await userEvent.hover(control);
  await expect.element(tooltip).toBeVisible();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const setTimer = vi.spyOn(globalThis, "setTimeout");
  const clearTimer = vi.spyOn(globalThis, "clearTimeout");
  movePointer(control.element(), document.body);
  const closing = () => setTimer.mock.calls.findIndex(([, delayMs]) => delayMs === 150);
  await until(() => closing() >= 0);
  vi.advanceTimersByTime(100);
  movePointer(document.body, tooltip.element());
  const timer = setTimer.mock.results[closing()]?.value;
  await until(() => clearTimer.mock.calls.some(([cleared]) => cleared === timer));
  expect(tooltip.query()).not.toBeNull();
});

/** Dispatches the events of a mouse at once: a busy machine would take longer than the wait. */
function movePointer(from: Element, to: Element): void {
  const init = { bubbles: true, pointerType: "mouse" };
  from.dispatchEvent(new PointerEvent("pointerout", { ...init, relatedTarget: to }));
  to.dispatchEvent(new PointerEvent("pointerover", { ...init, relatedTarget: from }));
}

test("hides on a click", async () => {
  mount(<Description />);
  await userEvent.hover(control);
  await expect.element(tooltip).toBeVisible();
  await control.click();
  await expect.element(tooltip).not.toBeInTheDocument();
});

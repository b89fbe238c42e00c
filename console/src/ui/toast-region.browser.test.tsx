import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { until } from "#console/testing/until.ts";
import { Normal } from "./dialog.stories.tsx";
import { toast } from "./toast-store.ts";
import { Kinds } from "./toast-region.stories.tsx";

const toasts = page.getByRole("region", { name: "Messages" }).getByRole("listitem");
const button = (name: string) => page.getByRole("button", { name });

/** Polls and presses of Vitest let a little of the faked time pass. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const count = () => toasts.elements().length;

test("shows at most 20 messages, newest first, at the right below the top bar, and removes each", async () => {
  mount(<Kinds />);
  // An earlier test may have left the pointer where the messages come.
  await userEvent.hover(button("Success"));
  for (let made = 1; made <= 21; made += 1) toast.success(`Message ${made}`);
  await until(() => count() === 20);
  expect(toasts.first().element().textContent).toBe("Message 21");
  const { right, top } = toasts.first().element().getBoundingClientRect();
  expect([innerWidth - right < 40, top >= 52, top < 80]).toEqual([true, true, true]);
  await vi.advanceTimersByTimeAsync(2_000);
  await expect.poll(count).toBe(0);
});

test("dismissing by keyboard restores focus, and later messages still expire", async () => {
  mount(<Kinds />);
  const opener = button("Success");
  await opener.click();
  await until(() => count() === 1);
  button("Dismiss message").element().focus();
  await userEvent.keyboard("{Enter}");
  await until(() => count() === 0);
  await expect.element(opener).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await until(() => count() === 1);
  await vi.advanceTimersByTimeAsync(4_000);
  await expect.poll(count).toBe(0);
});

test("a hovered message stays, and its timer restarts when the pointer leaves", async () => {
  mount(<Kinds />);
  // It stays longer than a success, since some of the time passes until the pointer is there.
  await button("Error").click();
  await until(() => count() === 1);
  await userEvent.hover(toasts.first());
  await vi.advanceTimersByTimeAsync(10_000);
  await expect.poll(count).toBe(1);
  await userEvent.hover(button("Success"));
  await vi.advanceTimersByTimeAsync(4_000);
  await expect.poll(count).toBe(0);
});

test("with an open dialog, a message is announced inside it", async () => {
  mount(<Normal />);
  await page.getByRole("button", { name: "Open dialog" }).click();
  const dialog = page.getByRole("dialog");
  await expect.element(dialog).toBeVisible();
  toast.loading("Working on it");
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(400);
  await expect.element(dialog.getByText("Working on it")).toBeInTheDocument();
});

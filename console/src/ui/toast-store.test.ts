import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createToastStore } from "./toast-store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function textsOf(toasts: ReturnType<typeof createToastStore>): string[] {
  return toasts.store.state.shown.map((toast) => toast.text);
}

test("success messages expire after 2 s, errors after 4 s, and loading messages stay", () => {
  const toasts = createToastStore(Date.now);
  toasts.loading("Working");
  toasts.error("Failed");
  toasts.success("Done");
  vi.advanceTimersByTime(2_000);
  expect(textsOf(toasts)).toEqual(["Failed", "Working"]);
  vi.advanceTimersByTime(2_000);
  expect(textsOf(toasts)).toEqual(["Working"]);
  vi.advanceTimersByTime(600_000);
  expect(textsOf(toasts)).toEqual(["Working"]);
});

test("shows at most 20 messages, newest first, and keeps fifty", () => {
  const toasts = createToastStore(Date.now);
  for (let number = 1; number <= 60; number += 1) toasts.error(`Error ${number}`);
  expect(textsOf(toasts)).toHaveLength(20);
  expect(textsOf(toasts)[0]).toBe("Error 60");
  expect(toasts.store.state.history).toHaveLength(50);
});

test("timers stop while paused and restart afterwards, but not without a pause", () => {
  const toasts = createToastStore(Date.now);
  toasts.success("Done");
  vi.advanceTimersByTime(1_500);
  toasts.pause();
  vi.advanceTimersByTime(60_000);
  expect(textsOf(toasts)).toEqual(["Done"]);
  toasts.resume();
  vi.advanceTimersByTime(1_500);
  toasts.resume();
  vi.advanceTimersByTime(500);
  expect(textsOf(toasts)).toEqual([]);
});

test("only messages shown since then are repeated", () => {
  const toasts = createToastStore(() => 0);
  toasts.success("Before");
  const before = toasts.store.state.shown;
  toasts.success("Since then");
  toasts.repeatSince(before);
  expect(toasts.store.state.shown.map(({ text, repeats }) => [text, repeats])).toEqual([
    ["Since then", 1],
    ["Before", 0],
  ]);
});

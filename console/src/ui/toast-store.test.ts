import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createToastStore } from "./toast-store.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function textsOf(store: ReturnType<typeof createToastStore>): string[] {
  return store.state().shown.map((toast) => toast.text);
}

test("successes leave after 2 s, errors after 4 s, loading ones stay", () => {
  const store = createToastStore(Date.now);
  store.loading("Working");
  store.error("Failed");
  store.success("Done");
  vi.advanceTimersByTime(2_000);
  expect(textsOf(store)).toEqual(["Failed", "Working"]);
  vi.advanceTimersByTime(2_000);
  expect(textsOf(store)).toEqual(["Working"]);
  vi.advanceTimersByTime(600_000);
  expect(textsOf(store)).toEqual(["Working"]);
});

test("a loading message turns into its outcome", () => {
  const store = createToastStore(Date.now);
  const id = store.loading("Working");
  store.success("Done", id);
  expect(textsOf(store)).toEqual(["Done"]);
  vi.advanceTimersByTime(2_000);
  expect(textsOf(store)).toEqual([]);
});

test("at most 20 show, the newest first", () => {
  const store = createToastStore(Date.now);
  for (let number = 1; number <= 25; number += 1) store.error(`Error ${number}`);
  expect(textsOf(store)).toHaveLength(20);
  expect(textsOf(store)[0]).toBe("Error 25");
});

test("time stands still while somebody reads, and begins anew afterwards", () => {
  const store = createToastStore(Date.now);
  store.success("Done");
  vi.advanceTimersByTime(1_500);
  store.pause();
  vi.advanceTimersByTime(60_000);
  expect(textsOf(store)).toEqual(["Done"]);
  store.resume();
  vi.advanceTimersByTime(2_000);
  expect(textsOf(store)).toEqual([]);
});

test("time that was not held goes on", () => {
  const store = createToastStore(Date.now);
  store.success("Done");
  vi.advanceTimersByTime(1_500);
  store.resume();
  vi.advanceTimersByTime(500);
  expect(textsOf(store)).toEqual([]);
});

test("what was said can be read later, but no more than fifty messages of it", () => {
  const store = createToastStore(Date.now);
  for (let number = 1; number <= 60; number += 1) store.success(`Message ${number}`);
  vi.advanceTimersByTime(10_000);
  expect(store.state().history).toHaveLength(50);
});

test("what came since then is shown anew, and nothing else", () => {
  const store = createToastStore(() => 0);
  store.success("Before");
  const before = store.state().shown;
  store.success("Since then");
  store.repeatSince(before);
  expect(store.state().shown.map(({ text, repeats }) => [text, repeats])).toEqual([
    ["Since then", 1],
    ["Before", 0],
  ]);
});

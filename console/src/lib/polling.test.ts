import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { isStale, poll } from "./polling.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Polls a query every two seconds. */
function polled(queryFn: () => Promise<unknown>) {
  const client = new QueryClient();
  const observer = new QueryObserver(client, { queryKey: ["polled"], queryFn });
  onTestFinished(observer.subscribe(() => undefined));
  onTestFinished(() => client.clear());
  return { client, stop: poll((options) => observer.refetch(options), 2_000) };
}

test("a query is polled at its interval while live events write to the cache", async () => {
  const askedAtMs: number[] = [];
  const startedAtMs = Date.now();
  const { client, stop } = polled(async () => askedAtMs.push(Date.now() - startedAtMs));
  for (let second = 1; second <= 7; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    client.setQueryData(["polled"], `event ${second}`);
  }
  expect(askedAtMs).toEqual([0, 2_000, 4_000, 6_000]);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(askedAtMs).toHaveLength(4);
});

test("does not poll again before a slow response has arrived", async () => {
  let asked = 0;
  const { stop } = polled(() => {
    asked += 1;
    return new Promise((resolve) => setTimeout(() => resolve(asked), 5_000));
  });
  await vi.advanceTimersByTimeAsync(5_500);
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toBe(2);
  stop();
});

test("data is stale after three missed polls, but never while polling is paused", () => {
  expect(isStale(0, 10_000, 30_000)).toBe(false);
  expect(isStale(0, 10_000, 30_001)).toBe(true);
  expect(isStale(0, false, 3_600_000)).toBe(false);
});

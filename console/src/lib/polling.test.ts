import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { poll } from "./polling.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("a query is polled at its interval while live events write to the cache", async () => {
  const client = new QueryClient();
  const askedAtMs: number[] = [];
  const startedAtMs = Date.now();
  const observer = new QueryObserver(client, {
    queryKey: ["uploads"],
    queryFn: async () => {
      askedAtMs.push(Date.now() - startedAtMs);
      return "polled";
    },
  });
  const unsubscribe = observer.subscribe(() => undefined);
  const stop = poll((options) => observer.refetch(options), 2_000);
  for (let second = 1; second <= 7; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    client.setQueryData(["uploads"], `event ${second}`);
  }
  expect(askedAtMs).toEqual([0, 2_000, 4_000, 6_000]);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(askedAtMs).toHaveLength(4);
  unsubscribe();
  client.clear();
});

test("does not poll again before a slow response has arrived", async () => {
  const client = new QueryClient();
  let asked = 0;
  const observer = new QueryObserver(client, {
    queryKey: ["slow"],
    queryFn: () => {
      asked += 1;
      return new Promise((resolve) => setTimeout(() => resolve(asked), 5_000));
    },
  });
  const unsubscribe = observer.subscribe(() => undefined);
  const stop = poll((options) => observer.refetch(options), 2_000);
  await vi.advanceTimersByTimeAsync(5_500);
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toBe(2);
  stop();
  unsubscribe();
  client.clear();
});

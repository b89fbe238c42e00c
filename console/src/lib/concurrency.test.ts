import { expect, test } from "vitest";
import { mapWithConcurrency } from "./concurrency.ts";

test("all items are processed, never more than the limit at a time", async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await mapWithConcurrency([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    done.push(item);
    running -= 1;
  });
  expect(new Set(done)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  expect(done).toHaveLength(7);
  expect(most).toBe(3);
});

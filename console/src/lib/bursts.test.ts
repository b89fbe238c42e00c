import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { collectBursts } from "./bursts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function collecting() {
  const handedOver: (readonly number[])[] = [];
  return { handedOver, bursts: collectBursts<number>(200, (items) => handedOver.push(items)) };
}

test("single items are delivered immediately, and leave no timer behind", () => {
  const { handedOver, bursts } = collecting();
  bursts.add(1);
  expect(handedOver).toEqual([[1]]);
  vi.advanceTimersByTime(1_000);
  bursts.add(2);
  expect(handedOver).toEqual([[1], [2]]);
  vi.advanceTimersByTime(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test("items in quick succession are delivered together, in order, after the interval", () => {
  const { handedOver, bursts } = collecting();
  for (const item of [1, 2, 3]) bursts.add(item);
  expect(handedOver).toEqual([[1]]);
  vi.advanceTimersByTime(200);
  bursts.add(4);
  expect(handedOver).toEqual([[1], [2, 3]]);
  vi.advanceTimersByTime(200);
  expect(handedOver).toEqual([[1], [2, 3], [4]]);
});

test("a flush delivers waiting items and leaves no timer behind", () => {
  const { handedOver, bursts } = collecting();
  bursts.add(1);
  bursts.add(2);
  bursts.flush();
  expect(handedOver).toEqual([[1], [2]]);
  expect(vi.getTimerCount()).toBe(0);
});

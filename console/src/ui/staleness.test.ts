import { expect, test } from "vitest";
import { isStale } from "./staleness.ts";

test("data is stale after three missed polls, but never while polling is paused", () => {
  expect(isStale(0, 10_000, 30_000)).toBe(false);
  expect(isStale(0, 10_000, 30_001)).toBe(true);
  expect(isStale(0, false, 3_600_000)).toBe(false);
});

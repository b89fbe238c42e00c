import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { axisUpTo, spaced } from "./chart-scale.ts";

describe("an axis", () => {
  test("ends at a round number above the largest value", () => {
    expect(axisUpTo(87, 4, 1)).toEqual({ top: 100, ticks: [0, 25, 50, 75, 100] });
    expect(axisUpTo(0.31, 4, 0.01)).toEqual({ top: 0.4, ticks: [0, 0.1, 0.2, 0.3, 0.4] });
  });

  test("ends at the largest value if it is round", () => {
    expect(axisUpTo(100, 4, 1).top).toBe(100);
    expect(axisUpTo(3, 3, 1).ticks).toEqual([0, 1, 2, 3]);
  });

  test("uses whole steps, also for zero", () => {
    expect(axisUpTo(2, 4, 1)).toEqual({ top: 2, ticks: [0, 1, 2] });
    expect(axisUpTo(0, 4, 1)).toEqual({ top: 1, ticks: [0, 1] });
  });

  test("covers every value with a limited number of ticks, starting at zero", () => {
    const maximum = fc.double({ min: 0, max: 1e9, noNaN: true });
    fc.assert(
      fc.property(maximum, fc.integer({ min: 1, max: 6 }), (value, intervals) => {
        const { top, ticks } = axisUpTo(value, intervals, 0.01);
        expect(top).toBeGreaterThanOrEqual(value * (1 - 1e-9));
        expect(top).toBeGreaterThan(0);
        expect(ticks.length).toBeLessThanOrEqual(intervals + 1);
        expect(ticks[0]).toBe(0);
        expect(ticks.at(-1)).toBe(top);
      }),
    );
  });
});

test("overlapping labels are omitted", () => {
  const places = [0, 5, 12].map((atPx) => ({ atPx }));
  expect(spaced(places, 6)).toEqual([{ atPx: 0 }, { atPx: 12 }]);
});

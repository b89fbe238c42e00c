import { expect, test } from "vitest";
import { costDirection } from "./cost-analysis.ts";

test("the trend is unknown with fewer than six whole days", () => {
  expect(costDirection([1, 1, 1, 9, 9])).toBe("unknown");
});

test("three days of higher costs are an increase, three of lower costs a decrease", () => {
  expect(costDirection([1, 1, 1, 2, 2, 2])).toBe("increasing");
  expect(costDirection([2, 2, 2, 1, 1, 1])).toBe("decreasing");
});

test("a change of less than five percent or a tenth of a cent is stable", () => {
  expect(costDirection([1, 1, 1, 1.04, 1.04, 1.04])).toBe("stable");
  expect(costDirection([0, 0, 0, 0.0009, 0.0009, 0.0009])).toBe("stable");
});

import { expect, test } from "vitest";
import { costDirection } from "./cost-direction.ts";

test("there is no trend before six whole days", () => {
  expect(costDirection([1, 1, 1, 9, 9])).toBe("unknown");
});

test("three dearer days after cheaper ones are a rise, and the other way round", () => {
  expect(costDirection([1, 1, 1, 2, 2, 2])).toBe("increasing");
  expect(costDirection([2, 2, 2, 1, 1, 1])).toBe("decreasing");
});

test("a change of less than a twentieth, or of a tenth of a cent, is none", () => {
  expect(costDirection([1, 1, 1, 1.04, 1.04, 1.04])).toBe("stable");
  expect(costDirection([0, 0, 0, 0.0009, 0.0009, 0.0009])).toBe("stable");
});

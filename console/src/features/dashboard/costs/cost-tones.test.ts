import { expect, test } from "vitest";
import { budgetTone, thresholdTone } from "./cost-tones.ts";

test("the budget's bar turns yellow at 75 % and red at 90 %", () => {
  expect([0, 74.9, 75, 89.9, 90, 250].map(budgetTone)).toEqual([
    "good",
    "good",
    "warn",
    "warn",
    "bad",
    "bad",
  ]);
});

test("a threshold's bar turns yellow at 80 % and red at 100 %", () => {
  expect([0, 79.9, 80, 99.9, 100, 250].map(thresholdTone)).toEqual([
    "good",
    "good",
    "warn",
    "warn",
    "bad",
    "bad",
  ]);
});

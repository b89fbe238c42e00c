import { expect, test } from "vitest";
import { statusMeaningOf } from "./file-words.ts";

test("a damaged file says what is wrong with it, and any other what its status means", () => {
  const problem = "The store no longer has this file.";
  expect(statusMeaningOf({ status: "partial", metadata: { problem } })).toBe(problem);
  expect(statusMeaningOf({ status: "partial", metadata: {} })).toMatch(/unfinished/);
  expect(statusMeaningOf({ status: "partial", metadata: { problem: 7 } })).toMatch(/unfinished/);
  // What was wrong before it was archived again.
  expect(statusMeaningOf({ status: "complete", metadata: { problem } })).toMatch(/proved/);
});

import { expect, test } from "vitest";
import { downloadRefusal, statusMeaningOf, storedRefusal } from "./file-words.ts";
import { formatChangesOf } from "./format-changes.ts";

test("a damaged file shows its problem, any other file the meaning of its status", () => {
  const problem = "The store no longer has this file.";
  expect(statusMeaningOf({ status: "partial", metadata: { problem } })).toBe(problem);
  expect(statusMeaningOf({ status: "partial", metadata: {} })).toMatch(/unfinished/);
  expect(statusMeaningOf({ status: "partial", metadata: { problem: 7 } })).toMatch(/unfinished/);
  // A leftover from before it was archived again.
  expect(statusMeaningOf({ status: "complete", metadata: { problem } })).toMatch(/verified/);
});

test.each([
  [{ status: "complete" }, undefined],
  [{ status: "orphaned" }, /Orphaned/],
  [{ status: "partial", metadata: { foundSizeBytes: 0 } }, /no longer/],
  [{ status: "partial", metadata: { foundSizeBytes: 7 } }, undefined],
  [{ status: "complete", metadata: { foundSizeBytes: 0 } }, undefined],
  [{ status: "partial", uploadType: "chunk" }, /unfinished/],
] as const)("a listed file %j can be downloaded unless refused with %j", (file, reason) => {
  const refused = downloadRefusal({ uploadType: "twitch", metadata: {}, ...file });
  expect(refused ?? "").toMatch(reason ?? /^$/);
});

test.each([
  [{ status: "complete", downloadUrl: "https://store.example/1" }, undefined],
  [{ status: "complete" }, /no longer/],
  [{ status: "orphaned" }, /Orphaned/],
  [{ status: "complete", uploadType: "chunk" }, /unfinished/],
] as const)("a file with details %j can be downloaded unless refused with %j", (file, reason) => {
  expect(storedRefusal({ uploadType: "twitch", ...file }) ?? "").toMatch(reason ?? /^$/);
});

test("reports how often the format changes within a file", () => {
  expect(formatChangesOf({ metadata: {} })).toBeUndefined();
  expect(formatChangesOf({ metadata: { initSegments: 2 } })).toMatch(/changes once\./);
  expect(formatChangesOf({ metadata: { initSegments: 3 } })).toMatch(/changes 2 times\./);
});

import { expect, test } from "vitest";
import { downloadRefusal, statusMeaningOf, storedRefusal } from "./file-words.ts";
import { formatChangesOf } from "./format-changes.ts";

test("a damaged file says what is wrong with it, and any other what its status means", () => {
  const problem = "The store no longer has this file.";
  expect(statusMeaningOf({ status: "partial", metadata: { problem } })).toBe(problem);
  expect(statusMeaningOf({ status: "partial", metadata: {} })).toMatch(/unfinished/);
  expect(statusMeaningOf({ status: "partial", metadata: { problem: 7 } })).toMatch(/unfinished/);
  // What was wrong before it was archived again.
  expect(statusMeaningOf({ status: "complete", metadata: { problem } })).toMatch(/proved/);
});

test("a listed file can't be downloaded when it is orphaned, or was looked for in vain", () => {
  const gone = { foundSizeBytes: 0 };
  expect(downloadRefusal({ status: "complete", metadata: {} })).toBeUndefined();
  expect(downloadRefusal({ status: "orphaned", metadata: {} })).toMatch(/Orphaned/);
  expect(downloadRefusal({ status: "partial", metadata: gone })).toMatch(/no longer/);
  expect(downloadRefusal({ status: "partial", metadata: { foundSizeBytes: 7 } })).toBeUndefined();
  expect(downloadRefusal({ status: "complete", metadata: gone })).toBeUndefined();
});

test("a file that the store was asked for is missing when it has no address", () => {
  const file = { status: "complete", uploadType: "twitch" } as const;
  expect(storedRefusal({ ...file, downloadUrl: "https://store.example/1" })).toBeUndefined();
  expect(storedRefusal(file)).toMatch(/no longer/);
  expect(storedRefusal({ ...file, status: "orphaned" })).toMatch(/Orphaned/);
  expect(storedRefusal({ ...file, uploadType: "chunk" })).toBeUndefined();
});

test("a file whose format changes inside is told of before it is played", () => {
  expect(formatChangesOf({ metadata: {} })).toBeUndefined();
  expect(formatChangesOf({ metadata: { initSegments: 2 } })).toMatch(/changes once\./);
  expect(formatChangesOf({ metadata: { initSegments: 3 } })).toMatch(/changes 2 times\./);
});

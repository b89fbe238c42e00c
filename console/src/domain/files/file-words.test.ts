import { expect, test } from "vitest";
import { downloadRefusal, statusMeaningOf, storedRefusal } from "./file-words.ts";
import { formatChangesOf } from "./format-changes.ts";

test("a damaged file says what is wrong with it, and any other what its status means", () => {
  const problem = "The store no longer has this file.";
  expect(statusMeaningOf({ status: "partial", metadata: { problem } })).toBe(problem);
  expect(statusMeaningOf({ status: "partial", metadata: {} })).toMatch(/unfinished/);
  expect(statusMeaningOf({ status: "partial", metadata: { problem: 7 } })).toMatch(/unfinished/);
  // A leftover from before it was archived again.
  expect(statusMeaningOf({ status: "complete", metadata: { problem } })).toMatch(/verified/);
});

test("a listed file can't be downloaded when it is orphaned, or was looked for in vain", () => {
  const gone = { foundSizeBytes: 0 };
  const twitch = { uploadType: "twitch" } as const;
  expect(downloadRefusal({ ...twitch, status: "complete", metadata: {} })).toBeUndefined();
  expect(downloadRefusal({ ...twitch, status: "orphaned", metadata: {} })).toMatch(/Orphaned/);
  expect(downloadRefusal({ ...twitch, status: "partial", metadata: gone })).toMatch(/no longer/);
  expect(
    downloadRefusal({ ...twitch, status: "partial", metadata: { foundSizeBytes: 7 } }),
  ).toBeUndefined();
  expect(downloadRefusal({ ...twitch, status: "complete", metadata: gone })).toBeUndefined();
});

test("a chunk is no file yet, whatever is stored of it", () => {
  const chunk = { status: "partial", uploadType: "chunk", metadata: {} } as const;
  expect(downloadRefusal(chunk)).toMatch(/unfinished/);
});

test("a file that the store was asked for is missing when it has no address", () => {
  const file = { status: "complete", uploadType: "twitch" } as const;
  expect(storedRefusal({ ...file, downloadUrl: "https://store.example/1" })).toBeUndefined();
  expect(storedRefusal(file)).toMatch(/no longer/);
  expect(storedRefusal({ ...file, status: "orphaned" })).toMatch(/Orphaned/);
  expect(storedRefusal({ ...file, uploadType: "chunk" })).toMatch(/unfinished/);
});

test("a file whose format changes inside is told of before it is played", () => {
  expect(formatChangesOf({ metadata: {} })).toBeUndefined();
  expect(formatChangesOf({ metadata: { initSegments: 2 } })).toMatch(/changes once\./);
  expect(formatChangesOf({ metadata: { initSegments: 3 } })).toMatch(/changes 2 times\./);
});

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

test("a listed file can't be downloaded if it is orphaned or missing from the store", () => {
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

test("a chunk can't be downloaded", () => {
  const chunk = { status: "partial", uploadType: "chunk", metadata: {} } as const;
  expect(downloadRefusal(chunk)).toMatch(/unfinished/);
});

test("a file without a download URL counts as missing from the store", () => {
  const file = { status: "complete", uploadType: "twitch" } as const;
  expect(storedRefusal({ ...file, downloadUrl: "https://store.example/1" })).toBeUndefined();
  expect(storedRefusal(file)).toMatch(/no longer/);
  expect(storedRefusal({ ...file, status: "orphaned" })).toMatch(/Orphaned/);
  expect(storedRefusal({ ...file, uploadType: "chunk" })).toMatch(/unfinished/);
});

test("reports how often the format changes within a file", () => {
  expect(formatChangesOf({ metadata: {} })).toBeUndefined();
  expect(formatChangesOf({ metadata: { initSegments: 2 } })).toMatch(/changes once\./);
  expect(formatChangesOf({ metadata: { initSegments: 3 } })).toMatch(/changes 2 times\./);
});

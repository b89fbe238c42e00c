import { expect, test } from "vitest";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { changesBetween } from "./upload-changes.ts";

const running = buildUpload({ filename: "evening.ts", status: "processing", progress: 10 });

const arrived = buildUpload({ filename: "morning.ts", status: "pending" });
const { debugInfo } = running;

test.each([
  ["progress alone", [running], [{ ...running, progress: 60 }], ""],
  [
    "a new and a completed upload",
    [running],
    [arrived, { ...running, status: "completed" as const }],
    "morning.ts: Pending. evening.ts: Completed",
  ],
  [
    "a stall",
    [running],
    [{ ...running, debugInfo: { ...debugInfo, isStalled: true } }],
    "evening.ts: Stalled",
  ],
  ["an older upload that fills a gap on the page", [arrived], [arrived, running], ""],
  ["many changes", [], Array.from({ length: 4 }, () => buildUpload()), "4 uploads changed"],
  [
    "a bidirectional control character",
    [],
    [{ ...running, filename: "a\u202Eb.ts" }],
    "a\uFFFDb.ts: Processing",
  ],
])("what is announced of %s", (_what, before, after, said) => {
  expect(changesBetween(before, after)).toBe(said);
});

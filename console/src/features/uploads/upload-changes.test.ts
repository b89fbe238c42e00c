import { expect, test } from "vitest";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { changesBetween } from "./upload-changes.ts";

const running = buildUpload({ filename: "evening.ts", status: "processing", progress: 10 });

test("progress alone is not announced", () => {
  expect(changesBetween([running], [{ ...running, progress: 60 }])).toBe("");
});

test("new, completed and stalled uploads are announced by name", () => {
  const { debugInfo } = running;
  const arrived = buildUpload({ filename: "morning.ts", status: "pending" });
  expect(changesBetween([running], [arrived, { ...running, status: "completed" }])).toBe(
    "morning.ts: Pending. evening.ts: Completed",
  );
  expect(
    changesBetween([running], [{ ...running, debugInfo: { ...debugInfo, isStalled: true } }]),
  ).toBe("evening.ts: Stalled");
});

test("an older upload that fills a gap on the page is not announced", () => {
  const newer = buildUpload();
  expect(changesBetween([newer], [newer, running])).toBe("");
});

test("many simultaneous changes are announced as a count", () => {
  const arrived = Array.from({ length: 4 }, () => buildUpload());
  expect(changesBetween([], arrived)).toBe("4 uploads changed");
});

test("a bidirectional control character in a name is replaced", () => {
  expect(changesBetween([], [{ ...running, filename: "a\u202Eb.ts" }])).toBe(
    "a\uFFFDb.ts: Processing",
  );
});

import { expect, test } from "vitest";
import { buildUpload } from "#contract/testing/build-upload.ts";
import {
  canWatch,
  elapsedSeconds,
  isFileDeleted,
  canRetryAmongOthers,
  retryWord,
  isSegmentOverdue,
} from "./upload-rules.ts";

test("a running upload's last segment is overdue after ten minutes", () => {
  const at = "2026-01-01T00:00:00.000Z";
  const upload = buildUpload({ status: "processing" });
  const waiting = { ...upload, debugInfo: { ...upload.debugInfo, lastSegmentTime: at } };
  expect(isSegmentOverdue(waiting, Date.parse(at) + 600_000)).toBe(false);
  expect(isSegmentOverdue(waiting, Date.parse(at) + 600_001)).toBe(true);
  expect(isSegmentOverdue({ ...waiting, status: "completed" }, Date.parse(at) + 600_001)).toBe(
    false,
  );
});

test("the duration counts up while the upload runs and is fixed afterwards", () => {
  const startedAt = "2026-01-01T00:00:00.000Z";
  const nowMs = Date.parse(startedAt) + 90_000;
  expect(elapsedSeconds(buildUpload({ status: "processing", startedAt }), nowMs)).toBe(90);
  const completed = buildUpload({
    status: "completed",
    startedAt,
    completedAt: "2026-01-01T00:00:30.000Z",
  });
  expect(elapsedSeconds(completed, nowMs)).toBe(30);
  expect(elapsedSeconds(buildUpload({ status: "pending" }), nowMs)).toBeNull();
});

test("watching is offered for stored archives and uploads with a playable file extension", () => {
  const stored = { fileKey: "vods/1/2/3.ts", fileStatus: "partial" } as const;
  expect(canWatch(buildUpload({ kind: "twitch", filename: "a.ts", ...stored }))).toBe(true);
  expect(canWatch(buildUpload({ kind: "twitch", filename: "a.ts" }))).toBe(false);
  const names = ["a.mp4", "B.MOV", "c.webm", "a.mkv", "mp4", "a.mp4.zip"];
  expect(
    names.filter((filename) => canWatch(buildUpload({ kind: "manual", filename, ...stored }))),
  ).toEqual(["a.mp4", "B.MOV", "c.webm"]);
});

test("a retry is not useful once the source is gone", () => {
  expect(retryWord("needs_entitlement")).toBe("Retry anyway");
  expect(retryWord("storage")).toBe("Retry");
  expect(retryWord(null)).toBe("Retry");
  const failed = buildUpload({ status: "failed", failureClass: "gone_at_source" });
  expect(canRetryAmongOthers(failed)).toBe(false);
  expect(canRetryAmongOthers({ ...failed, failureClass: "needs_entitlement" })).toBe(true);
});

test("only a completed upload without a file counts as having its file deleted", () => {
  expect(isFileDeleted(buildUpload({ status: "completed" }))).toBe(true);
  expect(isFileDeleted(buildUpload({ status: "completed", fileKey: "vods/1/2/3.ts" }))).toBe(false);
  expect(isFileDeleted(buildUpload({ status: "processing" }))).toBe(false);
});

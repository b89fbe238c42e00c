import { expect, test } from "vitest";
import { buildUpload } from "#contract/testing/build-upload.ts";
import {
  EMPTY_SELECTION,
  keepOnly,
  rangeBetween,
  retryableIds,
  selectAll,
  selectUploads,
} from "./failed-selection.ts";

const uploads = Array.from({ length: 5 }, () => buildUpload({ status: "failed" }));
const ids = uploads.map((upload) => upload.id);

test("a selection survives other pages and holds only what was chosen", () => {
  const first = selectUploads(EMPTY_SELECTION, uploads.slice(0, 2), true);
  const both = selectUploads(first, uploads.slice(3, 4), true);
  expect([...selectUploads(both, uploads.slice(0, 1), false).keys()]).toEqual([ids[1], ids[3]]);
});

test("uploads at their maximum are selected but not retried", () => {
  const exhausted = buildUpload({ status: "failed", retryCount: 3 });
  const selection = selectUploads(EMPTY_SELECTION, [...uploads.slice(0, 1), exhausted], true);
  expect(selection.size).toBe(2);
  expect(retryableIds(selection)).toEqual([ids[0]]);
});

test("after an action only those it failed for stay selected", () => {
  const selection = selectAll(uploads.map(({ id }) => ({ id, canRetry: true })));
  expect([...keepOnly(selection, new Set(ids.slice(2, 3))).keys()]).toEqual([ids[2]]);
});

test("Shift selects from the last press to this one, in both directions", () => {
  const between = (from: number, to: number) =>
    rangeBetween(uploads, ids[from] ?? null, ids[to] ?? buildUpload().id);
  expect(between(1, 3)).toEqual(uploads.slice(1, 4));
  expect(between(3, 1)).toEqual(uploads.slice(1, 4));
  expect(rangeBetween(uploads, null, uploads[2]?.id ?? buildUpload().id)).toEqual([uploads[2]]);
});

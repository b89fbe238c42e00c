import { describe, expect, test } from "vitest";
import { buildUpload } from "#contract/testing/build-upload.ts";
import type { Upload } from "#contract/upload.ts";
import { keepNewerUploads, mergeUpload, removeUpload, workFirst } from "./upload-merge.ts";
import type { UploadPage } from "./uploads-view.ts";

const FIRST_PAGE = { page: 1 };
const OLD = buildUpload();

function pageOf(items: readonly Upload[], total = items.length): UploadPage {
  return { items: [...items], total, page: 1, limit: 20, hasPrev: false, hasNext: total > 20 };
}

function newestFirst(count: number): Upload[] {
  return Array.from({ length: count }, () => buildUpload()).toReversed();
}

describe("an event about an upload on the page", () => {
  test("replaces its row in place", () => {
    const second = buildUpload();
    const first = buildUpload();
    const update = { ...second, version: 2, progress: 40 };
    expect(mergeUpload(pageOf([first, second]), FIRST_PAGE, update).items).toEqual([first, update]);
  });

  test("is ignored when it is older than the row", () => {
    const upload = buildUpload({ version: 5, progress: 50 });
    const page = pageOf([upload]);
    expect(mergeUpload(page, FIRST_PAGE, { ...upload, version: 4, progress: 40 })).toBe(page);
  });

  test("removes the row when it no longer matches the status filter", () => {
    const upload = buildUpload({ status: "processing" });
    const view = { page: 1, status: "processing" as const };
    const merged = mergeUpload(pageOf([upload]), view, {
      ...upload,
      version: 2,
      status: "completed",
    });
    expect(merged.items).toEqual([]);
    expect(merged.total).toBe(0);
  });
});

describe("an event about an upload that is not on the page", () => {
  test("adds it to the top of the first page, which keeps at most 20 rows", () => {
    const rows = newestFirst(20);
    const upload = buildUpload();
    const merged = mergeUpload(pageOf(rows), FIRST_PAGE, upload);
    expect(merged.items.map((item) => item.id)).toEqual(
      [upload, ...rows.slice(0, 19)].map((item) => item.id),
    );
    expect(merged.total).toBe(21);
    expect(merged.hasNext).toBe(true);
  });

  test.each([
    ["a later page", { page: 2 }, buildUpload],
    ["a search", { page: 1, search: "cats" }, buildUpload],
    ["another status", { page: 1, status: "failed" as const }, buildUpload],
    ["the largest first", { page: 1, sortBy: "size" as const }, buildUpload],
    ["the oldest first", { page: 1, sortOrder: "asc" as const }, buildUpload],
    ["a full page of newer ones", FIRST_PAGE, () => OLD],
  ])("does not change %s", (_name, view, arrived) => {
    const page = pageOf(newestFirst(20), 40);
    expect(mergeUpload(page, view, arrived())).toBe(page);
  });

  test("adds the upload under a matching status filter", () => {
    const failed = buildUpload({ status: "failed" });
    expect(mergeUpload(pageOf([]), { page: 1, status: "failed" }, failed).items).toEqual([failed]);
  });
});

test("a deleted upload is removed from the page and its total", () => {
  const second = buildUpload();
  const first = buildUpload();
  const page = removeUpload(pageOf([first, second], 30), first.id);
  expect(page.items).toEqual([second]);
  expect(page.total).toBe(29);
});

test("an older poll does not overwrite a newer event", () => {
  const upload = buildUpload({ version: 7, progress: 70 });
  const stale = { ...upload, version: 6, progress: 60 };
  const other = buildUpload();
  expect(keepNewerUploads(pageOf([upload]), pageOf([stale, other]))).toEqual(
    pageOf([upload, other]),
  );
});

test("the work of a page comes first, and what runs on other pages adds no row", () => {
  const [ended, running, waiting] = [
    buildUpload({ status: "completed" }),
    buildUpload({ status: "processing" }),
    buildUpload(),
  ];
  const elsewhere = buildUpload({ status: "processing" });
  const { rows, ...rest } = workFirst([running, elsewhere, waiting], [ended, waiting, running]);
  expect(rows).toEqual([running, waiting, ended]);
  expect(rest).toEqual({ elsewhere: [elsewhere] });
});

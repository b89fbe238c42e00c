import type { UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/upload.ts";
import type { UploadPage, UploadsView } from "./uploads-view.ts";

/**
 * Applies a live event to a cached page of uploads.
 *
 * An upload on the page is replaced by a newer version, and removed if it no longer matches the
 * filter. Any other is inserted on top if it belongs there: on the first page, without a search, if
 * the last started come first, it matches the filter and is no older than the page's last row. In
 * another order, the next poll shows it. The page keeps its number
 * of rows, 20 by default (docs/console.md#live-updates). Returns the same page if nothing changed.
 */
export function mergeUpload(page: UploadPage, view: UploadsView, upload: Upload): UploadPage {
  const meetsFilter = view.status === undefined || view.status === upload.status;
  const current = page.items.find((item) => item.id === upload.id);
  if (current !== undefined) {
    if (current.version >= upload.version) return page;
    if (!meetsFilter) return removeUpload(page, upload.id);
    return {
      ...page,
      items: page.items.map((item) => (item.id === upload.id ? upload : item)),
    };
  }
  const isNewestFirst = view.sortBy === undefined && view.sortOrder === undefined;
  const isFirstPage = view.page === 1 && view.search === undefined;
  if (!isNewestFirst || !isFirstPage || !meetsFilter || !isNewEnough(page, upload)) return page;
  const items = [upload, ...page.items].slice(0, page.limit);
  const total = page.total + 1;
  return { ...page, items, total, hasNext: page.hasNext || total > items.length };
}

function isNewEnough(page: UploadPage, upload: Upload): boolean {
  const last = page.items.at(-1);
  const isFull = page.items.length >= page.limit;
  return last === undefined || !isFull || upload.createdAt >= last.createdAt;
}

export function removeUpload(page: UploadPage, id: UploadId): UploadPage {
  const items = page.items.filter((item) => item.id !== id);
  if (items.length === page.items.length) return page;
  return { ...page, items, total: Math.max(0, page.total - 1) };
}

/**
 * The page's rows, those at work first, each in its newer version and without those that have ended
 * meanwhile. What is at work on other pages is `elsewhere`: the page keeps its number of rows.
 */
export function workFirst(atWork: readonly Upload[], page: readonly Upload[]) {
  const listed = new Map(page.map((upload) => [upload.id, upload]));
  const first = atWork.flatMap((upload) => {
    const other = listed.get(upload.id);
    if (other === undefined) return [];
    const newer = other.version > upload.version ? other : upload;
    return newer.status === "pending" || newer.status === "processing" ? [newer] : [];
  });
  const shown = new Set(first.map(({ id }) => id));
  return {
    rows: [...first, ...page.filter(({ id }) => !shown.has(id))],
    elsewhere: atWork.filter(({ id, status }) => status === "processing" && !listed.has(id)),
  };
}

function isUploadPage(value: unknown): value is UploadPage {
  return typeof value === "object" && value !== null && "items" in value;
}

/** A poll's answer, except that cached rows of a newer version are kept. */
export function keepNewerUploads(before: unknown, after: unknown): unknown {
  if (!isUploadPage(before) || !isUploadPage(after)) return after;
  const known = new Map(before.items.map((item) => [item.id, item]));
  const items = after.items.map((item) => {
    const cached = known.get(item.id);
    return cached !== undefined && cached.version > item.version ? cached : item;
  });
  return { ...after, items };
}

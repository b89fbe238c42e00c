import * as z from "zod/mini";
import type { DataOf, QueryOf } from "#contract/call.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { MAX_SELECTED } from "#contract/limits.ts";
import type { PagedList } from "#contract/paging.ts";
import {
  FAILURE_CLASSES,
  failureClassSchema,
  FUTILE_RETRIES,
  type FailureClass,
  type Upload,
} from "#contract/upload.ts";
import {
  type listFailedUploads,
  type listUploads,
  type matchingUploadIds,
} from "#contract/uploads.ts";
import { listPage, pagedList, windowOf, type ListPage, type ListWindow } from "#service/db/list.ts";
import { searchFor } from "#service/db/search.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import {
  countUploads,
  FAILURE_COUNTS_MS,
  uploadList,
  type UploadFilter,
  type UploadOrder,
} from "./upload-query.ts";
import { readUpload, selectUpload } from "#service/storage/upload-row.ts";

/** One page of uploads, filtered, searched by name, owner or title, and sorted. */
export async function pageUploads(
  database: Database,
  query: QueryOf<typeof listUploads>,
  nowMs: number,
): Promise<PagedList<Upload>> {
  const order: UploadOrder = { sortBy: query.sortBy, direction: query.sortOrder };
  const page = await findPage(database, query, "title", order, windowOf(query));
  return pagedList(await readPage(database, page, nowMs), page, query);
}

/** Last failure first. The summary and the groups ignore the search. */
export async function pageFailedUploads(
  database: Database,
  query: QueryOf<typeof listFailedUploads>,
  nowMs: number,
): Promise<DataOf<typeof listFailedUploads>> {
  const [page, groups] = await Promise.all([
    findPage(database, failedFilter(query), "error", LAST_FAILURE_FIRST, windowOf(query)),
    groupFailures(database, nowMs),
  ]);
  const sum = (of: "count" | "canRetry" | "maxRetriesReached") =>
    groups.reduce((total, group) => total + group[of], 0);
  const totalFailed = sum("count");
  const retryable = sum("canRetry");
  const maxRetriesReached = sum("maxRetriesReached");
  return {
    ...pagedList(await readPage(database, page, nowMs), page, query),
    summary: {
      totalFailed,
      canRetry: retryable,
      maxRetriesReached,
      retryCannotHelp: totalFailed - retryable - maxRetriesReached,
    },
    groups: groups.map(({ failureClass, count, canRetry, isRecent }) => ({
      failureClass,
      count,
      canRetry,
      isRecent,
    })),
  };
}

const LAST_FAILURE_FIRST: UploadOrder = { sortBy: "failedAt", direction: "desc" };

const matchRow = z.object({
  id: uploadIdSchema,
  can_retry: z.number(),
  failure_class: failureClassSchema,
  has_file: z.number(),
});

export async function matchFailedIds(
  database: Database,
  query: QueryOf<typeof matchingUploadIds>,
): Promise<DataOf<typeof matchingUploadIds>> {
  const window = { offset: 0, limit: MAX_SELECTED };
  const filter = failedFilter(query);
  const page = await findPage(database, filter, "error", LAST_FAILURE_FIRST, window);
  const rows = await database.all(sql`
    SELECT u.id, u.retry_count < u.max_retries AS can_retry, u.failure_class,
      EXISTS (SELECT 1 FROM files f
        WHERE f.upload_id = u.id AND f.upload_type <> 'chunk') AS has_file
    FROM uploads u
    WHERE u.seq IN (${page.rows}) ORDER BY ${page.orderBy}`);
  const items = rows.map((row) => {
    const { id, ...match } = matchRow.parse(row);
    const canRetry = match.can_retry === 1 && !isFutile(match.failure_class);
    return { id, canRetry, hasFile: match.has_file === 1 };
  });
  return { items, total: items.length, totalIsCapped: items.length === MAX_SELECTED };
}

function failedFilter({
  search,
  failureClass,
}: Pick<QueryOf<typeof listFailedUploads>, "search" | "failureClass">): UploadFilter {
  return { search, status: "failed", failureClass };
}

/** `searchIn`: the Failed screen searches error messages instead of titles. */
async function findPage(
  database: Database,
  filter: UploadFilter,
  searchIn: "title" | "error",
  order: UploadOrder,
  window: ListWindow,
): Promise<ListPage> {
  const total = await countUploads(database, filter);
  const list = uploadList(filter, order, total);
  const search = searchFor("upload_search", filter.search, ["filename", "owner", searchIn]);
  return await listPage(database, list, search, total, window);
}

async function readPage(
  database: Database,
  { rows, orderBy }: ListPage,
  nowMs: number,
): Promise<Upload[]> {
  const found = await database.all(
    sql`${selectUpload(nowMs)} WHERE u.seq IN (${rows}) ORDER BY ${orderBy}`,
  );
  return found.map(readUpload);
}

const groupRow = z.object({
  failure_class: failureClassSchema,
  can_retry: z.number(),
  is_recent: z.number(),
  uploads: z.number(),
});

function isFutile(failureClass: FailureClass): boolean {
  return FUTILE_RETRIES.includes(failureClass);
}

/** In the contract's order; classes without a failed upload are left out. */
async function groupFailures(database: Database, nowMs: number) {
  const rows = await database.all(
    sql`SELECT failure_class, can_retry, uploads, failure_class IN (
        SELECT failure_class FROM uploads INDEXED BY uploads_failed
        WHERE status = 'failed' AND failed_at >= ${nowMs - FAILURE_COUNTS_MS}) AS is_recent
      FROM upload_counts WHERE status = 'failed' AND uploads > 0`,
  );
  const counts = rows.map((row) => groupRow.parse(row));
  const sum = (some: typeof counts) => some.reduce((total, { uploads }) => total + uploads, 0);
  return FAILURE_CLASSES.flatMap((failureClass) => {
    const own = counts.filter((row) => row.failure_class === failureClass);
    if (own.length === 0) return [];
    const count = sum(own);
    const retriesLeft = sum(own.filter(({ can_retry: canRetry }) => canRetry === 1));
    return [
      {
        failureClass,
        count,
        canRetry: isFutile(failureClass) ? 0 : retriesLeft,
        maxRetriesReached: count - retriesLeft,
        isRecent: own.some((row) => row.is_recent === 1),
      },
    ];
  });
}

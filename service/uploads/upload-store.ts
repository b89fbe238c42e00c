import * as z from "zod/mini";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { PagedList } from "#contract/paging.ts";
import { FAILURE_CLASSES, failureClassSchema, type Upload } from "#contract/uploads.ts";
import type { DataOf, QueryOf } from "#contract/call.ts";
import type { listFailedUploads, listUploads, matchingUploadIds } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/platform.ts";
import {
  countUploads,
  matchUploads,
  orderUploads,
  pageOf,
  type UploadFilter,
} from "./upload-query.ts";
import { readUpload, SELECT_UPLOAD } from "./upload-row.ts";

export async function findUpload(database: Database, uploadId: string): Promise<Upload | null> {
  const [row] = await database.all(sql`${SELECT_UPLOAD} WHERE u.id = ${uploadId}`);
  return row === undefined ? null : readUpload(row);
}

export async function pageUploads(
  database: Database,
  query: QueryOf<typeof listUploads>,
): Promise<PagedList<Upload>> {
  const filter: UploadFilter = { ...query, searchIn: "title" };
  const [count, rows] = await Promise.all([
    countUploads(database, filter),
    database.all(sql`
      ${SELECT_UPLOAD} WHERE ${matchUploads(filter)}
      ${orderUploads(query.sortBy, query.sortOrder)}
      LIMIT ${query.limit + 1} OFFSET ${(query.page - 1) * query.limit}`),
  ]);
  return pageOf(rows.map(readUpload), query, count);
}

export async function pageFailedUploads(
  database: Database,
  query: QueryOf<typeof listFailedUploads>,
): Promise<DataOf<typeof listFailedUploads>> {
  const filter: UploadFilter = { ...query, status: "failed", searchIn: "error" };
  const [count, rows, groups] = await Promise.all([
    countUploads(database, filter),
    database.all(sql`
      ${SELECT_UPLOAD} WHERE ${matchUploads(filter)} ORDER BY u.failed_at DESC, u.seq DESC
      LIMIT ${query.limit + 1} OFFSET ${(query.page - 1) * query.limit}`),
    groupFailures(database),
  ]);
  const totalFailed = groups.reduce((sum, group) => sum + group.count, 0);
  const canRetry = groups.reduce((sum, group) => sum + group.canRetry, 0);
  return {
    ...pageOf(rows.map(readUpload), query, count),
    summary: { totalFailed, canRetry, maxRetriesReached: totalFailed - canRetry },
    groups,
  };
}

const groupRow = z.object({
  failure_class: failureClassSchema,
  uploads: z.number(),
  can_retry: z.number(),
});

/** In the contract's order; classes without a failed upload are left out. */
async function groupFailures(
  database: Database,
): Promise<DataOf<typeof listFailedUploads>["groups"]> {
  const rows = await database.all(sql`
    SELECT coalesce(failure_class, 'ours') AS failure_class, count(*) AS uploads,
      sum(retry_count < max_retries) AS can_retry
    FROM uploads WHERE status = 'failed' GROUP BY 1`);
  const groups = rows.map((row) => groupRow.parse(row));
  return FAILURE_CLASSES.flatMap((failureClass) =>
    groups
      .filter((group) => group.failure_class === failureClass)
      .map((group) => ({ failureClass, count: group.uploads, canRetry: group.can_retry })),
  );
}

const matchRow = z.object({ id: uploadIdSchema, can_retry: z.number() });

export async function matchFailedIds(
  database: Database,
  query: QueryOf<typeof matchingUploadIds>,
): Promise<DataOf<typeof matchingUploadIds>> {
  const filter: UploadFilter = { ...query, status: "failed", searchIn: "error" };
  const rows = await database.all(sql`
    SELECT u.id, u.retry_count < u.max_retries AS can_retry
    FROM uploads u LEFT JOIN users o ON o.id = u.owner_id
    WHERE ${matchUploads(filter)} ORDER BY u.failed_at DESC, u.seq DESC
    LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1}`);
  const items = rows.slice(0, MAX_EXACT_SEARCH_TOTAL).map((row) => {
    const { id, can_retry: canRetry } = matchRow.parse(row);
    return { id, canRetry: canRetry === 1 };
  });
  return { items, total: items.length, totalIsCapped: rows.length > MAX_EXACT_SEARCH_TOTAL };
}

/** The newest uploads, oldest of them first: what a reader who lost the line has to see again. */
export async function newestUploads(database: Database, count: number): Promise<readonly Upload[]> {
  const rows = await database.all(sql`${SELECT_UPLOAD} ORDER BY u.seq DESC LIMIT ${count}`);
  return rows.map(readUpload).toReversed();
}

export async function newestUploadOfVod(
  database: Database,
  vodId: string,
): Promise<{ id: UploadId; status: Upload["status"] } | null> {
  const [row] = await database.all(
    sql`${SELECT_UPLOAD} WHERE u.vod_id = ${vodId} ORDER BY u.seq DESC LIMIT 1`,
  );
  if (row === undefined) return null;
  const { id, status } = readUpload(row);
  return { id, status };
}

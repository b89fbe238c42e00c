import type { FailureClass, UploadStatus } from "#contract/upload.ts";
import type { UPLOAD_SORTS } from "#contract/uploads.ts";
import { MAX_NARROW_ROWS, MAX_SORTED_ROWS, type Direction, type List } from "#service/db/list.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/** Older failures need nobody's attention any more. */
export const FAILURE_COUNTS_MS = 7 * 24 * 3_600_000;

export type UploadFilter = {
  readonly status?: UploadStatus | undefined;
  readonly search?: string | undefined;
  readonly userId?: string | undefined;
  /** Only together with the status failed. */
  readonly failureClass?: FailureClass | undefined;
};

export type UploadOrder = {
  readonly sortBy: (typeof UPLOAD_SORTS)[number] | "failedAt";
  readonly direction: Direction;
};

const SORT_COLUMNS: Readonly<Record<UploadOrder["sortBy"], readonly Statement[]>> = {
  // Uploads are numbered as they are created, which is the order in which they start.
  startedAt: [],
  filename: [sql`u.filename COLLATE NOCASE`],
  size: [sql`u.source_bytes`],
  status: [sql`u.status`],
  recordedAt: [sql`u.recorded_at`],
  failedAt: [sql`u.failed_at`],
};

const IN_ORDER: Readonly<Record<UploadOrder["sortBy"], Statement>> = {
  // Of the search index, a table with a short row for each upload: passing over a million reads a
  // twentieth of the pages that the uploads fill.
  startedAt: sql`(SELECT id AS seq FROM upload_search_docsize) u`,
  filename: sql`uploads u INDEXED BY uploads_filename`,
  size: sql`uploads u INDEXED BY uploads_size`,
  status: sql`uploads u INDEXED BY uploads_status`,
  recordedAt: sql`uploads u INDEXED BY uploads_recorded`,
  failedAt: sql`(SELECT * FROM uploads INDEXED BY uploads_failed WHERE status = 'failed') u`,
};

/** The list; `total` is the number of uploads that pass the filter, ignoring the search. */
export function uploadList(filter: UploadFilter, order: UploadOrder, total: number): List {
  const { status, userId, failureClass } = filter;
  const byNumber =
    userId !== undefined
      ? sql`uploads u INDEXED BY uploads_owner`
      : status !== undefined
        ? sql`uploads u INDEXED BY uploads_status`
        : sql`uploads u`;
  const isOneStatus = order.sortBy === "status" && status !== undefined;
  const sortedBy = isOneStatus ? [] : SORT_COLUMNS[order.sortBy];
  const isFew = total <= (userId === undefined ? MAX_SORTED_ROWS : MAX_NARROW_ROWS);
  const isFiltered = userId !== undefined || status !== undefined;
  const usesFilter = isFiltered && order.sortBy !== "failedAt" && (sortedBy.length === 0 || isFew);
  return {
    inOrder: usesFilter ? byNumber : IN_ORDER[order.sortBy],
    byNumber,
    seq: sql`u.seq`,
    where: [
      // A partial index needs its condition as a literal.
      ...(status === undefined
        ? []
        : [status === "failed" ? sql`u.status = 'failed'` : sql`u.status = ${status}`]),
      ...(userId === undefined ? [] : [sql`u.owner_id = ${userId}`]),
      ...(failureClass === undefined ? [] : [sql`u.failure_class = ${failureClass}`]),
    ],
    sortedBy,
    direction: order.direction,
  };
}

/** Number of uploads that match the filter, ignoring the search. */
export async function countUploads(
  database: Database,
  { status, userId, failureClass }: UploadFilter,
): Promise<number> {
  const ofStatus = status === undefined ? [] : [sql`status = ${status}`];
  const ofClass = failureClass === undefined ? [] : [sql`failure_class = ${failureClass}`];
  const [row] = await database.all(
    userId === undefined
      ? sql`SELECT coalesce(sum(uploads), 0) AS uploads FROM upload_counts
          WHERE ${all([...ofStatus, ...ofClass])}`
      : sql`SELECT count(*) AS uploads FROM uploads INDEXED BY uploads_owner
          WHERE ${all([sql`owner_id = ${userId}`, ...ofStatus])}`,
  );
  return Number(row?.uploads ?? 0);
}

import type { FailureClass, UploadStatus } from "#contract/upload.ts";
import type { UPLOAD_SORTS } from "#contract/uploads.ts";
import { readCounters } from "#service/db/counters.ts";
import { inDirection, type Direction, type ListShape } from "#service/db/list-shape.ts";
import { isFoldedBySql } from "#service/db/search-match.ts";
import { join, sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

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

const SORT_COLUMNS: Readonly<Record<UploadOrder["sortBy"], Statement>> = {
  // seq is in the order of creation, which is the order in which uploads start.
  startedAt: sql`u.seq`,
  filename: sql`u.filename COLLATE NOCASE`,
  size: sql`u.source_bytes`,
  status: sql`u.status`,
  failedAt: sql`u.failed_at`,
};

/** Whether the order is that of creation, as is the order by status among uploads of one status. */
export function isCreationOrder({ status }: UploadFilter, { sortBy }: UploadOrder): boolean {
  return sortBy === "startedAt" || (sortBy === "status" && status !== undefined);
}

/** The list without its search, using the index that has its order. */
export function uploadShape(filter: UploadFilter, order: UploadOrder): ListShape {
  const column = SORT_COLUMNS[order.sortBy];
  return {
    ...source(filter, order),
    seq: sql`u.seq`,
    orderBy(direction) {
      const way = inDirection(direction);
      return sql`${column} ${way}, u.seq ${way}`;
    },
    direction: order.direction,
  };
}

function source(
  { status, userId, failureClass }: UploadFilter,
  { sortBy }: UploadOrder,
): Pick<ListShape, "from" | "where"> {
  if (userId !== undefined) {
    return {
      from: OF_OWNER[sortBy],
      where: [
        sql`u.owner_id = ${userId}`,
        ...(status === undefined ? [] : [sql`u.status = ${status}`]),
      ],
    };
  }
  if (sortBy === "failedAt") {
    // A partial index needs its condition as a literal, not as a parameter.
    const isFailed = sql`u.status = 'failed'`;
    return failureClass === undefined
      ? { from: sql`uploads u INDEXED BY uploads_failed`, where: [isFailed] }
      : {
          from: sql`uploads u INDEXED BY uploads_failed_class`,
          where: [isFailed, sql`coalesce(u.failure_class, 'ours') = ${failureClass}`],
        };
  }
  if (status !== undefined)
    return { from: WITHIN_STATUS[sortBy], where: [sql`u.status = ${status}`] };
  return { from: OVER_ALL[sortBy], where: [] };
}

const OF_OWNER = {
  startedAt: sql`uploads u INDEXED BY uploads_owner`,
  filename: sql`uploads u INDEXED BY uploads_owner_filename`,
  size: sql`uploads u INDEXED BY uploads_owner_size`,
  status: sql`uploads u INDEXED BY uploads_owner`,
  failedAt: sql`uploads u INDEXED BY uploads_owner`,
};

const OVER_ALL = {
  startedAt: sql`uploads u`,
  filename: sql`uploads u INDEXED BY uploads_filename`,
  size: sql`uploads u INDEXED BY uploads_size`,
  status: sql`uploads u INDEXED BY uploads_status`,
};

const WITHIN_STATUS = {
  startedAt: sql`uploads u INDEXED BY uploads_status`,
  filename: sql`uploads u INDEXED BY uploads_status_filename`,
  size: sql`uploads u INDEXED BY uploads_status_size`,
  status: sql`uploads u INDEXED BY uploads_status`,
};

/** Number of uploads that match the filter, ignoring the search; from maintained counts. */
export async function countUploads(
  database: Database,
  { status, userId, failureClass }: UploadFilter,
): Promise<number> {
  if (failureClass !== undefined)
    return await sumUploads(database, sql`failed_uploads WHERE failure_class = ${failureClass}`);
  if (userId !== undefined) {
    const ofStatus = status === undefined ? sql`` : sql`AND status = ${status}`;
    return await sumUploads(database, sql`owner_uploads WHERE owner_id = ${userId} ${ofStatus}`);
  }
  const counters = await readCounters(database);
  return status === undefined ? counters.uploads : counters.of(`uploads.${status}`);
}

async function sumUploads(database: Database, counts: Statement): Promise<number> {
  const [row] = await database.all(sql`SELECT coalesce(sum(uploads), 0) AS uploads FROM ${counts}`);
  return Number(row?.uploads ?? 0);
}

/** The search as a test of one row of `uploads u`. */
export function rowHolds(term: string, searchIn: "title" | "error"): Statement | null {
  if (!isFoldedBySql(term)) return null;
  const folded = term.toLowerCase();
  const text = searchIn === "title" ? sql`u.title` : sql`u.error_message`;
  const tests = [sql`u.filename`, sql`coalesce(${text}, '')`].map(
    (column) => sql`instr(lower(${column}), ${folded}) > 0`,
  );
  const owner = sql`EXISTS (SELECT 1 FROM users o WHERE o.id = u.owner_id
    AND (instr(lower(o.login), ${folded}) > 0 OR instr(lower(o.display_name), ${folded}) > 0))`;
  return sql`(${join([...tests, owner], " OR ")})`;
}

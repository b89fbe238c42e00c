import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import { fileStatusSchema, uploadTypeSchema, type fileStats } from "#contract/files.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { IS_CHANGED } from "#service/storage/upload-vod.ts";
import type { FileQuery } from "./file-query.ts";

const countRow = z.object({
  status: fileStatusSchema,
  upload_type: uploadTypeSchema,
  files: z.number(),
  bytes: z.number(),
  /** Of files in the trash, which are not counted before. */
  trashed: z.number(),
  trashed_bytes: z.number(),
});
export type Count = z.infer<typeof countRow>;

type FileFilters = Pick<
  FileQuery,
  | "userId"
  | "status"
  | "uploadType"
  | "chat"
  | "recordedFrom"
  | "recordedUntil"
  | "chunks"
  | "trash"
  | "source"
>;

/** Leaves out the files `f` in the trash, by their own index: others need not be read for it. */
export const NOT_IN_TRASH = sql`f.seq NOT IN (
  SELECT seq FROM files INDEXED BY files_trash WHERE trash_until IS NOT NULL)`;

/** The stored files `f` that became rare. */
const IS_RARE = sql`f.upload_type = 'twitch' AND f.upload_id IN (
  SELECT u.id FROM vods v INDEXED BY vods_changed CROSS JOIN uploads u ON u.vod_id = v.vod_id
  WHERE ${IS_CHANGED})`;

/**
 * Reads the maintained counts: at most nine rows, regardless of the number of files. Files without
 * their chat, in the trash, changed at the source or of a time are counted one by one.
 */
export async function readCounts(
  database: Database,
  query: FileFilters,
): Promise<readonly Count[]> {
  if (isCountedSingly(query)) {
    const rows = await database.all(sql`
      SELECT f.status, f.upload_type, count(*) AS files, sum(f.size_bytes) AS bytes,
        0 AS trashed, 0 AS trashed_bytes
      FROM ${singlyIndexed(query)} WHERE ${all(singlyCounted(query))}
      GROUP BY f.status, f.upload_type`);
    return rows.map((row) => countRow.parse(row));
  }
  const rows = await database.all(sql`
    SELECT c.status, c.upload_type, c.files - c.trashed_files AS files,
      c.bytes - c.trashed_bytes AS bytes, c.trashed_files AS trashed,
      c.trashed_bytes
    FROM file_counts c
    WHERE c.user_id = ${query.userId ?? "*"} AND c.files > 0 AND ${matchCounts(query)}`);
  return rows.map((row) => countRow.parse(row));
}

export function countByStatus(counts: readonly Count[]): DataOf<typeof fileStats>["byStatus"] {
  const ofStatus = (status: Count["status"]) =>
    sum(
      counts.filter((group) => group.status === status),
      (group) => group.files,
    );
  return {
    complete: ofStatus("complete"),
    partial: ofStatus("partial"),
    orphaned: ofStatus("orphaned"),
  };
}

export function sum(counts: readonly Count[], read: (count: Count) => number): number {
  return counts.reduce((total, count) => total + read(count), 0);
}

/** Whether a query has a filter that the maintained counts do not cover. */
export function isCountedSingly(query: FileFilters): boolean {
  const { chat, recordedFrom, recordedUntil, trash, source } = query;
  return [chat, recordedFrom, recordedUntil, trash, source].some((filter) => filter !== undefined);
}

/** The files `f` by the index that answers such a query's filters. */
export function singlyIndexed({ chat, source, trash, userId }: FileFilters): Statement {
  if (trash !== undefined)
    return sql`(SELECT * FROM files INDEXED BY files_trash WHERE trash_until IS NOT NULL) f`;
  if (chat !== undefined || source !== undefined) return sql`files f INDEXED BY files_upload`;
  return userId === undefined
    ? sql`files f INDEXED BY files_by_recording`
    : sql`files f INDEXED BY files_of_user_by_recording`;
}

/** The filters of such a query on files `f`. */
export function singlyCounted(query: FileFilters): readonly Statement[] {
  const { userId, status, uploadType, chat, recordedFrom, recordedUntil } = query;
  return [
    query.trash === undefined ? NOT_IN_TRASH : sql`f.trash_until IS NOT NULL`,
    ...(query.source === undefined ? [] : [IS_RARE]),
    ...(chat === undefined
      ? []
      : [
          sql`f.upload_type = 'twitch'`,
          // The index of such chats has the same condition.
          sql`f.upload_id IN (SELECT upload_id FROM chats WHERE state IN ('partial', 'gone', 'none'))`,
        ]),
    ...(recordedFrom === undefined ? [] : [sql`f.recorded_at >= ${Date.parse(recordedFrom)}`]),
    ...(recordedUntil === undefined ? [] : [sql`f.recorded_at < ${Date.parse(recordedUntil)}`]),
    ...equal(sql`f.user_id`, userId),
    ...equal(sql`f.status`, status),
    ...equal(sql`f.upload_type`, uploadType),
    ...(query.chunks === undefined ? [] : [sql`f.upload_type <> 'chunk'`]),
  ];
}

/** The filters by status and type over the maintained counts `c`. */
export function matchCounts({
  status,
  uploadType,
}: Pick<FileQuery, "status" | "uploadType">): Statement {
  return all([
    ...(status === undefined ? [] : [sql`c.status = ${status}`]),
    ...(uploadType === undefined ? [] : [sql`c.upload_type = ${uploadType}`]),
  ]);
}

/** Leaves out the counts `c` of chunks if the query does. */
export function matchChunks({ chunks }: Pick<FileFilters, "chunks">): Statement {
  return chunks === undefined ? sql`TRUE` : sql`c.upload_type <> 'chunk'`;
}

function equal(column: Statement, value: string | undefined): readonly Statement[] {
  return value === undefined ? [] : [sql`${column} = ${value}`];
}

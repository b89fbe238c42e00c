import type { DataOf, QueryOf } from "#contract/call.ts";
import {
  type browseFiles,
  type fileStats,
  fileStatusSchema,
  objectKeySchema,
  type matchingFiles,
  type neighbouringFiles,
} from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { type Direction, inDirection, pagedList, windowOf } from "#service/db/list.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import {
  countByStatus,
  isCountedSingly,
  readCounts,
  singlyCounted,
  singlyIndexed,
  sum,
  type Count,
} from "./file-counts.ts";
import { groupCounted, groupMatches, readLargestOwners, readMonths } from "./file-groups.ts";
import { findFilePage, type FileQuery } from "./file-query.ts";
import {
  describeFile,
  type FileRow,
  readFileRow,
  SELECT_FILE,
  FILE_TITLE,
  IS_UPLOAD_RUNNING,
} from "./file-row.ts";
import * as z from "zod/mini";
import { MAX_SELECTED } from "#contract/limits.ts";
import { flagColumn } from "#service/db/columns.ts";

/**
 * One page of stored files. The summary and the groups cover all matching files, up to the limit of
 * a search's total.
 */
export async function pageFiles(
  database: Database,
  query: FileQuery,
): Promise<DataOf<typeof browseFiles>> {
  const { page, counts, hiddenChunks } = await findFilePage(database, query, windowOf(query));
  const [groups, rows] = await Promise.all([
    page.counted === null && !isCountedSingly(query)
      ? groupCounted(database, counts, query)
      : groupMatches(
          database,
          page.counted ??
            sql`SELECT f.seq FROM ${singlyIndexed(query)} WHERE ${all(singlyCounted(query))}`,
          query,
        ),
    database.all(sql`${SELECT_FILE} WHERE f.seq IN (${page.rows}) ORDER BY ${page.orderBy}`),
  ]);
  const { items, hasPrev, hasNext, ...total } = pagedList(
    rows.map((row) => describeFile(readFileRow(row))),
    page,
    query,
  );
  return {
    files: items,
    pagination: {
      page: total.page,
      limit: total.limit,
      total: total.total,
      ...(page.totalIsCapped ? { totalIsCapped: true } : {}),
      totalPages: Math.ceil(total.total / total.limit),
      hasPrev,
      hasNext,
    },
    summary: {
      totalFiles: total.total,
      totalSizeFormatted: formatBytes(groups.bytes),
    },
    byUser: groups.byUser,
    users: groups.users,
    byStatus: groups.byStatus,
    ...(query.chunks === undefined ? {} : { hiddenChunks }),
  };
}

export async function readFileStats(database: Database): Promise<DataOf<typeof fileStats>> {
  const [counts, { users, largest }, months] = await Promise.all([
    readCounts(database, {}),
    readLargestOwners(database),
    readMonths(database),
  ]);
  // Files in the trash are stored, too.
  const groups = counts.map((group) => ({
    ...group,
    files: group.files + group.trashed,
    bytes: group.bytes + group.trashed_bytes,
  }));
  const ofType = (type: Count["upload_type"]) =>
    sum(
      groups.filter((group) => group.upload_type === type),
      (group) => group.files,
    );
  return {
    totalFiles: sum(groups, (group) => group.files),
    totalSize: sum(groups, (group) => group.bytes),
    usersWithFiles: users,
    largestOwners: largest,
    months,
    byStatus: countByStatus(groups),
    byType: {
      twitch: ofType("twitch"),
      manual: ofType("manual"),
      chunk: ofType("chunk"),
      ...(ofType("url") === 0 ? {} : { url: ofType("url") }),
    },
  };
}

const matchingRow = z.object({
  key: objectKeySchema,
  size: z.number(),
  status: fileStatusSchema,
  title: z.nullable(z.string()),
  isUploadRunning: flagColumn,
});

/** Every matching file with its current size and status, for selecting all of them. */
export async function listMatchingFiles(
  database: Database,
  query: QueryOf<typeof matchingFiles>,
): Promise<DataOf<typeof matchingFiles>> {
  const window = { offset: 0, limit: MAX_SELECTED };
  const newestFirst = { ...query, ...window, page: 1, sortBy: "date", sortOrder: "desc" } as const;
  const { page } = await findFilePage(database, newestFirst, window);
  const rows = await database.all(sql`
    SELECT f.object_key AS key, f.size_bytes AS size, f.status, ${FILE_TITLE} AS title,
      ${IS_UPLOAD_RUNNING} AS isUploadRunning
    FROM files f LEFT JOIN uploads u ON u.id = f.upload_id
    WHERE f.seq IN (${page.rows}) ORDER BY ${page.orderBy}`);
  const found = rows.map((row) => matchingRow.parse(row));
  return {
    files: found.map(({ key, size, status }) => ({ key, size, status })),
    titles: found.map(({ title }) => title),
    running: found.flatMap(({ key, isUploadRunning }) => (isUploadRunning ? [key] : [])),
    totalIsCapped: found.length === MAX_SELECTED,
  };
}

/** As many as stand beside a player. */
const EACH_WAY = 10;

/** The videos of a file's channel that can be watched, before and after it by broadcast date. */
export async function findNeighbours(
  database: Database,
  { key, userId, recordedAt }: Pick<FileRow, "key" | "userId" | "recordedAt">,
): Promise<DataOf<typeof neighbouringFiles>> {
  // The sequence number decides between broadcasts that began at the same instant.
  const place = sql`(f.recorded_at, f.seq)`;
  const own = sql`(SELECT recorded_at, seq FROM files WHERE object_key = ${key})`;
  const find = async (where: Statement, direction: Direction) => {
    const order = inDirection(direction);
    const rows = await database.all(sql`${SELECT_FILE}
      WHERE f.seq IN (SELECT f.seq FROM files f INDEXED BY files_of_user_by_recording
        WHERE f.user_id = ${userId} AND f.recorded_at IS NOT NULL AND f.status <> 'orphaned'
          AND f.upload_type <> 'chunk' AND f.trash_until IS NULL AND f.object_key <> ${key}
          AND ${where}
        ORDER BY f.recorded_at ${order}, f.seq ${order} LIMIT ${EACH_WAY})
      ORDER BY f.recorded_at ${order}, f.seq ${order}`);
    return rows.map((row) => describeFile(readFileRow(row)));
  };
  const [newer, older] = await Promise.all([
    recordedAt === null ? [] : find(sql`${place} > ${own}`, "asc"),
    find(recordedAt === null ? sql`TRUE` : sql`${place} < ${own}`, "desc"),
  ]);
  return { newer, older };
}

import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import {
  fileStatusSchema,
  uploadTypeSchema,
  type browseFiles,
  type fileStats,
} from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/platform.ts";
import { formatSize } from "./format-size.ts";
import { describeFile, readFileRow, SELECT_FILE, type FileRow } from "./file-row.ts";
import { matchFileCounts, matchFiles, orderFiles, searchOf, type FileQuery } from "./file-query.ts";

export async function findFile(database: Database, key: string): Promise<FileRow | null> {
  const [row] = await database.all(sql`${SELECT_FILE} WHERE f.object_key = ${key}`);
  return row === undefined ? null : readFileRow(row);
}

export async function browse(
  database: Database,
  query: FileQuery,
): Promise<DataOf<typeof browseFiles>> {
  const { page, limit } = query;
  const [groups, rows] = await Promise.all([
    countGroups(database, query),
    database.all(sql`
      ${SELECT_FILE} WHERE ${matchFiles(query)} ${orderFiles(query)}
      LIMIT ${limit + 1} OFFSET ${(page - 1) * limit}`),
  ]);
  const total = sum(groups, (group) => group.files);
  const isCapped = searchOf(query) !== "" && total > MAX_EXACT_SEARCH_TOTAL;
  const shown = isCapped ? MAX_EXACT_SEARCH_TOTAL : total;
  return {
    files: rows.slice(0, limit).map((row) => describeFile(readFileRow(row))),
    pagination: {
      page,
      limit,
      total: shown,
      ...(isCapped ? { totalIsCapped: true } : {}),
      totalPages: Math.ceil(shown / limit),
      hasPrev: page > 1,
      hasNext: rows.length > limit,
    },
    summary: {
      totalFiles: shown,
      totalSizeFormatted: formatSize(sum(groups, (group) => group.bytes)),
    },
    byUser: byUser(groups),
    byStatus: byStatus(groups),
  };
}

export async function readFileStats(database: Database): Promise<DataOf<typeof fileStats>> {
  const groups = (
    await database.all(sql`
      SELECT c.user_id, NULL AS username, c.status, c.upload_type, c.files, c.bytes
      FROM file_counts c WHERE c.user_id <> '*' AND c.files > 0`)
  ).map((row) => groupRow.parse(row));
  const ofType = (type: string) => groups.filter((group) => group.upload_type === type);
  return {
    totalFiles: sum(groups, (group) => group.files),
    totalSize: sum(groups, (group) => group.bytes),
    usersWithFiles: new Set(groups.map((group) => group.user_id)).size,
    byStatus: byStatus(groups),
    byType: {
      twitch: sum(ofType("twitch"), (group) => group.files),
      manual: sum(ofType("manual"), (group) => group.files),
      chunk: sum(ofType("chunk"), (group) => group.files),
    },
  };
}

const groupRow = z.object({
  user_id: z.string(),
  username: z.nullable(z.string()),
  status: fileStatusSchema,
  upload_type: uploadTypeSchema,
  files: z.number(),
  bytes: z.number(),
});
type Group = z.infer<typeof groupRow>;

/** Without a search the counts are maintained; with one they are counted, up to a bound. */
async function countGroups(database: Database, query: FileQuery): Promise<readonly Group[]> {
  const statement: Statement =
    searchOf(query) === ""
      ? sql`
        SELECT c.user_id, o.login AS username, c.status, c.upload_type, c.files, c.bytes
        FROM file_counts c LEFT JOIN users o ON o.id = c.user_id
        WHERE ${matchFileCounts(query)}`
      : sql`
        SELECT coalesce(user_id, '-') AS user_id, username, status, upload_type,
          count(*) AS files, sum(size_bytes) AS bytes
        FROM (${SELECT_FILE} WHERE ${matchFiles(query)} LIMIT ${MAX_EXACT_SEARCH_TOTAL + 1})
        GROUP BY 1, 2, 3, 4`;
  return (await database.all(statement)).map((row) => groupRow.parse(row));
}

/** `-` stands for files that belong to no user. */
function byUser(groups: readonly Group[]): DataOf<typeof browseFiles>["byUser"] {
  const users = Map.groupBy(groups, (group) => group.user_id);
  return [...users]
    .map(([userId, own]) => ({
      userId: userId === "-" ? null : userIdSchema.parse(userId),
      username: own[0]?.username ?? null,
      files: sum(own, (group) => group.files),
      size: sum(own, (group) => group.bytes),
    }))
    .sort((left, right) => (left.username ?? "~").localeCompare(right.username ?? "~"));
}

function byStatus(groups: readonly Group[]): DataOf<typeof fileStats>["byStatus"] {
  const ofStatus = (status: Group["status"]) =>
    sum(
      groups.filter((group) => group.status === status),
      (group) => group.files,
    );
  return {
    complete: ofStatus("complete"),
    partial: ofStatus("partial"),
    orphaned: ofStatus("orphaned"),
  };
}

function sum(groups: readonly Group[], read: (group: Group) => number): number {
  return groups.reduce((total, group) => total + read(group), 0);
}

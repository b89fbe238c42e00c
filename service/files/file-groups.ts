import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import { fileStatusSchema, type browseFiles, type FileOwner } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { countByStatus, matchCounts, sum, type Count } from "./file-counts.ts";
import type { FileQuery } from "./file-query.ts";

/** Totals of all matching files by user and status, shown beside a page. */
export type FileGroups = Pick<DataOf<typeof browseFiles>, "byUser" | "byStatus"> & {
  readonly bytes: number;
};

/** For a list without a search: uses the maintained counts. */
export async function groupCounted(
  database: Database,
  counts: readonly Count[],
  query: FileQuery,
): Promise<FileGroups> {
  return {
    bytes: sum(counts, (group) => group.bytes),
    byStatus: countByStatus(counts),
    byUser: await readOwners(database, query),
  };
}

const ownerRow = z.object({
  user_id: z.string(),
  login: z.string(),
  files: z.number(),
  bytes: z.number(),
});

/** Minimum number of users listed beside a page; larger pages list up to their own limit. */
const OWNERS_LISTED = 100;

async function readOwners(database: Database, query: FileQuery): Promise<FileOwner[]> {
  const whose = query.userId === undefined ? sql`TRUE` : sql`o.user_id = ${query.userId}`;
  const rows = await database.all(sql`
    SELECT o.user_id, o.login, sum(c.files) AS files, sum(c.bytes) AS bytes
    FROM file_owners o CROSS JOIN file_counts c
    WHERE c.user_id = o.user_id AND c.files > 0 AND ${whose} AND ${matchCounts(query)}
    GROUP BY o.login, o.user_id ORDER BY o.login, o.user_id
    LIMIT ${Math.max(OWNERS_LISTED, query.limit)}`);
  return rows.map(describeOwner);
}

/** `-` is the id for files without a user. */
function describeOwner(row: unknown): FileOwner {
  const { user_id: userId, login, files, bytes } = ownerRow.parse(row);
  return {
    userId: userId === "-" ? null : userIdSchema.parse(userId),
    username: login === "" ? null : login,
    files,
    size: bytes,
  };
}

const LARGEST_OWNERS = 8;

/** Reads the maintained counts: a few rows per owner, regardless of the number of files. */
export async function readLargestOwners(
  database: Database,
): Promise<{ readonly users: number; readonly largest: FileOwner[] }> {
  const rows = await database.all(sql`
    WITH owners AS MATERIALIZED (
      SELECT user_id, sum(files) AS files, sum(bytes) AS bytes
      -- Also leaves out '*', the sums of all owners.
      FROM file_counts WHERE user_id > '-' AND files > 0 GROUP BY user_id)
    SELECT o.user_id, o.login, l.files, l.bytes, (SELECT count(*) FROM owners) AS users
    FROM (SELECT * FROM owners ORDER BY bytes DESC, user_id LIMIT ${LARGEST_OWNERS}) AS l
      JOIN file_owners o ON o.user_id = l.user_id
    ORDER BY l.bytes DESC, o.user_id`);
  return { users: Number(rows[0]?.["users"] ?? 0), largest: rows.map(describeOwner) };
}

const matchedRow = z.object({
  user_id: z.string(),
  status: fileStatusSchema,
  files: z.number(),
  bytes: z.number(),
});

type OwnerSum = { files: number; bytes: number };

/** For a search: groups its matches, up to the limit of its total. */
export async function groupMatches(
  database: Database,
  matches: Statement,
  query: FileQuery,
): Promise<FileGroups> {
  const rows = await database.all(sql`
    SELECT coalesce(f.user_id, '-') AS user_id, f.status, count(*) AS files,
      sum(f.size_bytes) AS bytes
    FROM (SELECT seq FROM (${matches}) LIMIT ${MAX_EXACT_SEARCH_TOTAL}) AS matches
      CROSS JOIN files f WHERE f.seq = matches.seq GROUP BY f.user_id, f.status`);
  const sums = new Map<string, OwnerSum>();
  const byStatus = { complete: 0, partial: 0, orphaned: 0 };
  let bytes = 0;
  for (const row of rows) {
    const group = matchedRow.parse(row);
    const own = sums.get(group.user_id) ?? { files: 0, bytes: 0 };
    own.files += group.files;
    own.bytes += group.bytes;
    sums.set(group.user_id, own);
    byStatus[group.status] += group.files;
    bytes += group.bytes;
  }
  return { bytes, byStatus, byUser: await nameOwners(database, sums, query.limit) };
}

/** The owners with most files first. */
async function nameOwners(
  database: Database,
  sums: ReadonlyMap<string, OwnerSum>,
  pageLimit: number,
): Promise<FileOwner[]> {
  const listed = [...sums]
    .sort(([, left], [, right]) => right.files - left.files)
    .slice(0, Math.max(OWNERS_LISTED, pageLimit))
    .map(([id, { files, bytes }]) => [id, files, bytes]);
  const rows = await database.all(sql`
    SELECT o.user_id, o.login, listed.value ->> 1 AS files, listed.value ->> 2 AS bytes
    FROM json_each(${JSON.stringify(listed)}) AS listed
    JOIN file_owners o ON o.user_id = listed.value ->> 0
    ORDER BY files DESC, o.login`);
  return rows.map(describeOwner);
}

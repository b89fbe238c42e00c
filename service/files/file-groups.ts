import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import {
  fileOwnerSchema,
  fileStatusSchema,
  type browseFiles,
  type FileOwner,
} from "#contract/files.ts";
import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { countByStatus, matchChunks, matchCounts, sum, type Count } from "./file-counts.ts";
import type { FileQuery } from "./file-query.ts";

/** Totals of all matching files by user and status, shown beside a page. */
export type FileGroups = Pick<DataOf<typeof browseFiles>, "byUser" | "users" | "byStatus"> & {
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
    ...(await readOwners(database, query)),
  };
}

/** An owner `o` in the contract's form; files without a user have neither id nor login. */
const OWNER = sql`nullif(o.user_id, '-') AS userId, nullif(o.login, '') AS username`;

/** Minimum number of users listed beside a page; larger pages list up to their own limit. */
const OWNERS_LISTED = 100;

async function readOwners(
  database: Database,
  query: FileQuery,
): Promise<Pick<FileGroups, "byUser" | "users">> {
  const limit = Math.max(OWNERS_LISTED, query.limit);
  const whose = query.userId === undefined ? sql`TRUE` : sql`o.user_id = ${query.userId}`;
  const rows = await database.all(sql`
    SELECT ${OWNER}, sum(c.files - c.trashed_files) AS files,
      sum(c.bytes - c.trashed_bytes) AS size
    FROM file_owners o CROSS JOIN file_counts c
    WHERE c.user_id = o.user_id AND c.files > c.trashed_files AND ${whose}
      AND ${matchCounts(query)} AND ${matchChunks(query)}
    GROUP BY o.login, o.user_id ORDER BY o.login, o.user_id
    LIMIT ${limit}`);
  const byUser = rows.map((row) => fileOwnerSchema.parse(row));
  if (byUser.length < limit) return { byUser, users: countUsers(byUser) };
  const [row] = await database.all(sql`
    SELECT count(DISTINCT c.user_id) AS users FROM file_counts c
    -- Also leaves out '*', the sums of all owners.
    WHERE c.user_id > '-' AND c.files > c.trashed_files AND ${matchCounts(query)}
      AND ${matchChunks(query)}`);
  return { byUser, users: Number(row?.["users"]) };
}

function countUsers(owners: readonly FileOwner[]): number {
  return owners.filter(({ userId }) => userId !== null).length;
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
    SELECT ${OWNER}, l.files, l.bytes AS size, (SELECT count(*) FROM owners) AS users
    FROM (SELECT * FROM owners ORDER BY bytes DESC, user_id LIMIT ${LARGEST_OWNERS}) AS l
      JOIN file_owners o ON o.user_id = l.user_id
    ORDER BY l.bytes DESC, o.user_id`);
  const largest = rows.map((row) => fileOwnerSchema.parse(row));
  return { users: Number(rows[0]?.["users"] ?? 0), largest };
}

/** Reads one row of the index per month with broadcasts, regardless of the number of files. */
export async function readMonths(database: Database): Promise<string[]> {
  const rows = await database.all(sql`
    WITH RECURSIVE months (first_at) AS (
      SELECT min(recorded_at) FROM files
      UNION ALL
      SELECT (SELECT min(recorded_at) FROM files WHERE recorded_at >=
        unixepoch(first_at / 1000, 'unixepoch', 'start of month', '+1 month') * 1000)
      FROM months WHERE first_at IS NOT NULL)
    SELECT strftime('%Y-%m', first_at / 1000, 'unixepoch') AS month FROM months
    WHERE first_at IS NOT NULL ORDER BY first_at DESC`);
  return rows.map(({ month }) => String(month));
}

const matchedRow = z.extend(fileOwnerSchema, { status: fileStatusSchema });

/** For a search: groups its matches, up to the limit of its total; owners of most files first. */
export async function groupMatches(
  database: Database,
  matches: Statement,
  query: FileQuery,
): Promise<FileGroups> {
  const rows = await database.all(sql`
    WITH grouped AS MATERIALIZED (
      SELECT coalesce(f.user_id, '-') AS user_id, f.status, count(*) AS files,
        sum(f.size_bytes) AS size
      FROM (SELECT seq FROM (${matches}) LIMIT ${MAX_EXACT_SEARCH_TOTAL}) AS matches
        CROSS JOIN files f WHERE f.seq = matches.seq GROUP BY f.user_id, f.status)
    SELECT ${OWNER}, g.status, g.files, g.size
    FROM grouped g JOIN file_owners o ON o.user_id = g.user_id ORDER BY o.login`);
  const owners = new Map<FileOwner["userId"], FileOwner>();
  const byStatus = { complete: 0, partial: 0, orphaned: 0 };
  let bytes = 0;
  for (const row of rows) {
    const { status, ...group } = matchedRow.parse(row);
    const owner = owners.get(group.userId) ?? { ...group, files: 0, size: 0 };
    owner.files += group.files;
    owner.size += group.size;
    owners.set(group.userId, owner);
    byStatus[status] += group.files;
    bytes += group.size;
  }
  const all = [...owners.values()].toSorted((one, other) => other.files - one.files);
  const byUser = all.slice(0, Math.max(OWNERS_LISTED, query.limit));
  return { bytes, byStatus, byUser, users: countUsers(all) };
}

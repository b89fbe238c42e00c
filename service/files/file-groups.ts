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

const matchedRow = z.extend(ownerRow, { status: fileStatusSchema });

/** For a search: groups its matches, up to the limit of its total; owners of most files first. */
export async function groupMatches(
  database: Database,
  matches: Statement,
  query: FileQuery,
): Promise<FileGroups> {
  const rows = await database.all(sql`
    WITH grouped AS MATERIALIZED (
      SELECT coalesce(f.user_id, '-') AS user_id, f.status, count(*) AS files,
        sum(f.size_bytes) AS bytes
      FROM (SELECT seq FROM (${matches}) LIMIT ${MAX_EXACT_SEARCH_TOTAL}) AS matches
        CROSS JOIN files f WHERE f.seq = matches.seq GROUP BY f.user_id, f.status)
    SELECT g.user_id, o.login, g.status, g.files, g.bytes
    FROM grouped g JOIN file_owners o ON o.user_id = g.user_id ORDER BY o.login`);
  const owners = new Map<string, z.infer<typeof ownerRow>>();
  const byStatus = { complete: 0, partial: 0, orphaned: 0 };
  let bytes = 0;
  for (const row of rows) {
    const { status, ...group } = matchedRow.parse(row);
    const owner = owners.get(group.user_id) ?? { ...group, files: 0, bytes: 0 };
    owner.files += group.files;
    owner.bytes += group.bytes;
    owners.set(group.user_id, owner);
    byStatus[status] += group.files;
    bytes += group.bytes;
  }
  const byUser = [...owners.values()]
    .toSorted((one, other) => other.files - one.files)
    .slice(0, Math.max(OWNERS_LISTED, query.limit))
    .map(describeOwner);
  return { bytes, byStatus, byUser };
}

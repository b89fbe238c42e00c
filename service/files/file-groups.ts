import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import type { browseFiles } from "#contract/files.ts";
import { userIdSchema } from "#contract/ids.ts";
import { MAX_EXACT_SEARCH_TOTAL } from "#contract/limits.ts";
import type { ListPage } from "#service/db/list-shape.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { countByStatus, sum, type Count } from "./file-counts.ts";
import { matchCounts, type FileQuery } from "./file-query.ts";

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

async function readOwners(
  database: Database,
  query: FileQuery,
): Promise<DataOf<typeof browseFiles>["byUser"]> {
  const listed = Math.max(OWNERS_LISTED, query.limit);
  const isWhole = query.status === undefined && query.uploadType === undefined;
  const whose = query.userId === undefined ? sql`TRUE` : sql`user_id = ${query.userId}`;
  // Filtered counts are listed in the order of ids, so that the query can stop at the limit.
  const owners = isWhole
    ? sql`SELECT user_id, login, files, bytes FROM file_owners WHERE files > 0 AND ${whose}
        ORDER BY login, user_id LIMIT ${listed}`
    : sql`SELECT o.user_id, o.login, c.files, c.bytes FROM (
          SELECT user_id, sum(files) AS files, sum(bytes) AS bytes FROM file_counts c
          WHERE user_id <> '*' AND files > 0 AND ${whose} AND ${matchCounts(query)}
          GROUP BY user_id LIMIT ${listed}) c
        JOIN file_owners o ON o.user_id = c.user_id ORDER BY o.login`;
  const rows = await database.all(owners);
  return rows.map(describeOwner);
}

/** `-` is the id for files without a user. */
function describeOwner(row: unknown): DataOf<typeof browseFiles>["byUser"][number] {
  const { user_id: userId, login, files, bytes } = ownerRow.parse(row);
  return {
    userId: userId === "-" ? null : userIdSchema.parse(userId),
    username: login === "" ? null : login,
    files,
    size: bytes,
  };
}

const matchedRow = z.object({
  owners: z.nullable(z.string()),
  sizes: z.nullable(z.string()),
  statuses: z.nullable(z.string()),
});

type OwnerSum = { files: number; bytes: number };

/**
 * For a search: groups its matches, up to the limit of its total. GROUP BY sorts, which for ten
 * thousand rows takes longer than the rest of the query. The query therefore returns three columns
 * as comma-separated text (no value contains a comma), and they are summed here.
 */
export async function groupMatches(
  database: Database,
  { matches }: Pick<ListPage, "matches">,
  query: FileQuery,
): Promise<FileGroups> {
  const sums = new Map<string, OwnerSum>();
  const byStatus = { complete: 0, partial: 0, orphaned: 0 };
  if (matches === undefined) return { bytes: 0, byStatus, byUser: [] };
  const [found] = await database.all(sql`
    SELECT group_concat(coalesce(f.user_id, '-')) AS owners, group_concat(f.size_bytes) AS sizes,
      group_concat(substr(f.status, 1, 1), '') AS statuses
    FROM (SELECT seq FROM (${matches}) LIMIT ${MAX_EXACT_SEARCH_TOTAL}) AS matches
      CROSS JOIN files f WHERE f.seq = matches.seq`);
  const { owners, sizes, statuses } = matchedRow.parse(found);
  const sizeList = sizes?.split(",") ?? [];
  for (const [index, owner] of (owners?.split(",") ?? []).entries()) {
    const own = sums.get(owner) ?? { files: 0, bytes: 0 };
    own.files += 1;
    own.bytes += Number(sizeList[index]);
    sums.set(owner, own);
  }
  for (const initial of statuses ?? "")
    byStatus[initial === "c" ? "complete" : initial === "p" ? "partial" : "orphaned"] += 1;
  let bytes = 0;
  for (const own of sums.values()) bytes += own.bytes;
  return { bytes, byStatus, byUser: await nameOwners(database, sums, query.limit) };
}

/** The owners with most files first. */
async function nameOwners(
  database: Database,
  sums: ReadonlyMap<string, OwnerSum>,
  pageLimit: number,
): Promise<FileGroups["byUser"]> {
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

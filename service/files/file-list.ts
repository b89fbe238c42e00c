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
import { plainPage, searchPage, type ListPage } from "#service/db/list-page.ts";
import { pagedList } from "#service/db/paged-list.ts";
import { searchMatch, searchTerm, type SearchMatch } from "#service/db/search-match.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/platform.ts";
import { fileShape, matchCounts, rowHolds, rowsByUser, type FileQuery } from "./file-query.ts";
import { describeFile, readFileRow, SELECT_FILE } from "./file-row.ts";
import { formatSize } from "./format-size.ts";

/**
 * One page of stored files. The summary and the groups are of all files that match, up to the limit
 * of a search's total.
 */
export async function browse(
  database: Database,
  query: FileQuery,
): Promise<DataOf<typeof browseFiles>> {
  const counts = await readCounts(database, query);
  const filtered = sum(counts, (group) => group.files);
  const shape = fileShape(query, filtered);
  const window = { offset: (query.page - 1) * query.limit, limit: query.limit };
  const term = searchTerm(query.search);
  const match = term === null ? null : matchFiles(term, query);
  let page: ListPage;
  if (term !== null) {
    const rest = query.userId === undefined ? [] : [sql`f.user_id = ${query.userId}`];
    const test = query.sortBy === "user" ? null : rowHolds(term);
    const search = { match, isIndexOrder: false, rest, table: sql`files f`, test };
    page = await searchPage(database, shape, search, filtered, window);
  } else if (query.sortBy === "user" && query.userId === undefined && filtered > window.offset) {
    page = { rows: rowsByUser(query, window), total: filtered, totalIsCapped: false };
  } else {
    page = plainPage(shape, filtered, window);
  }
  const rows =
    page.rows === null
      ? []
      : await database.all(
          sql`${SELECT_FILE} WHERE f.seq IN (${page.rows})
            ORDER BY ${shape.orderBy(query.sortOrder)}`,
        );
  const groups =
    term === null
      ? { counts, owners: await readOwners(database, query) }
      : await groupMatches(database, page.matches ?? newestMatches(match), query);
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
      totalSizeFormatted: formatSize(sum(groups.counts, (group) => group.bytes)),
    },
    byUser: groups.owners,
    byStatus: byStatus(groups.counts),
  };
}

export async function readFileStats(database: Database): Promise<DataOf<typeof fileStats>> {
  const [groups, [owners]] = await Promise.all([
    readCounts(database, {}),
    database.all(sql`
      SELECT count(*) AS users FROM file_owners WHERE user_id <> '-' AND files > 0`),
  ]);
  const ofType = (type: Count["upload_type"]) =>
    sum(
      groups.filter((group) => group.upload_type === type),
      (group) => group.files,
    );
  return {
    totalFiles: sum(groups, (group) => group.files),
    totalSize: sum(groups, (group) => group.bytes),
    usersWithFiles: Number(owners?.users ?? 0),
    byStatus: byStatus(groups),
    byType: { twitch: ofType("twitch"), manual: ofType("manual"), chunk: ofType("chunk") },
  };
}

function matchFiles(term: string, { status, uploadType }: FileQuery): SearchMatch | null {
  return searchMatch(
    { trigrams: "file_trigrams", grams: "file_grams" },
    term,
    ["filename", "object_key"],
    { status, upload_type: uploadType },
  );
}

const countRow = z.object({
  status: fileStatusSchema,
  upload_type: uploadTypeSchema,
  files: z.number(),
  bytes: z.number(),
});
type Count = z.infer<typeof countRow>;

/** From the maintained counts: nine rows at most, however many files there are. */
async function readCounts(
  database: Database,
  query: Pick<FileQuery, "userId" | "status" | "uploadType">,
): Promise<readonly Count[]> {
  const rows = await database.all(sql`
    SELECT c.status, c.upload_type, c.files, c.bytes FROM file_counts c
    WHERE c.user_id = ${query.userId ?? "*"} AND c.files > 0 AND ${matchCounts(query)}`);
  return rows.map((row) => countRow.parse(row));
}

const ownerRow = z.object({
  user_id: z.string(),
  login: z.string(),
  files: z.number(),
  bytes: z.number(),
});

/** Users listed beside a page; a page of the largest size lists as many as it has files. */
const OWNERS_LISTED = 100;

async function readOwners(
  database: Database,
  query: FileQuery,
): Promise<DataOf<typeof browseFiles>["byUser"]> {
  const listed = Math.max(OWNERS_LISTED, query.limit);
  const isWhole = query.status === undefined && query.uploadType === undefined;
  const whose = query.userId === undefined ? sql`TRUE` : sql`user_id = ${query.userId}`;
  // Filtered counts are in the order of ids: the first that match, without reading all the rest.
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

/** `-` stands for files that belong to no user. */
function describeOwner(row: unknown): DataOf<typeof browseFiles>["byUser"][number] {
  const { user_id: userId, login, files, bytes } = ownerRow.parse(row);
  return {
    userId: userId === "-" ? null : userIdSchema.parse(userId),
    username: login === "" ? null : login,
    files,
    size: bytes,
  };
}

function newestMatches(match: SearchMatch | null): Statement | null {
  return match === null ? null : sql`${match.rows} ORDER BY rowid DESC`;
}

/** What a search found, grouped: its newest matches up to the limit. */
async function groupMatches(
  database: Database,
  matches: Statement | null,
  query: FileQuery,
): Promise<{ counts: readonly Count[]; owners: DataOf<typeof browseFiles>["byUser"] }> {
  if (matches === null) return { counts: [], owners: [] };
  const whose = query.userId === undefined ? sql`TRUE` : sql`f.user_id = ${query.userId}`;
  const found = sql`
    SELECT coalesce(f.user_id, '-') AS user_id, f.status, f.upload_type, f.size_bytes
    FROM (${matches}) AS matches CROSS JOIN files f
    WHERE f.seq = matches.rowid AND ${whose} LIMIT ${MAX_EXACT_SEARCH_TOTAL}`;
  const rows = await database.all(sql`
    WITH found AS MATERIALIZED (${found})
    SELECT NULL AS user_id, NULL AS login, status, upload_type, count(*) AS files,
      sum(size_bytes) AS bytes
    FROM found GROUP BY status, upload_type
    UNION ALL SELECT * FROM (
      SELECT g.user_id, o.login, NULL, NULL, g.files, g.bytes FROM (
        SELECT user_id, count(*) AS files, sum(size_bytes) AS bytes FROM found GROUP BY user_id) g
      JOIN file_owners o ON o.user_id = g.user_id
      ORDER BY g.files DESC, o.login LIMIT ${Math.max(OWNERS_LISTED, query.limit)})`);
  const [counts, owners] = [
    rows.filter((row) => row.user_id === null),
    rows.filter((row) => row.user_id !== null),
  ];
  return {
    counts: counts.map((row) => countRow.parse(row)),
    owners: owners.map(describeOwner),
  };
}

function byStatus(counts: readonly Count[]): DataOf<typeof fileStats>["byStatus"] {
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

function sum(counts: readonly Count[], read: (count: Count) => number): number {
  return counts.reduce((total, count) => total + read(count), 0);
}

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
import type { Database } from "#service/platform.ts";
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
      : await groupMatches(database, match, query);
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
      SELECT count(DISTINCT user_id) AS users FROM file_counts
      WHERE user_id NOT IN ('*', '-') AND files > 0`),
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
  username: z.nullable(z.string()),
  files: z.number(),
  bytes: z.number(),
});

/** Users listed beside a page; a page of the largest size lists as many as it has files. */
const OWNERS_LISTED = 100;

async function readOwners(
  database: Database,
  query: FileQuery,
): Promise<DataOf<typeof browseFiles>["byUser"]> {
  const whose =
    query.userId === undefined ? sql`c.user_id <> '*'` : sql`c.user_id = ${query.userId}`;
  const rows = await database.all(sql`
    SELECT g.*, o.login AS username FROM (
      SELECT c.user_id, sum(c.files) AS files, sum(c.bytes) AS bytes FROM file_counts c
      WHERE ${whose} AND c.files > 0 AND ${matchCounts(query)}
      GROUP BY c.user_id LIMIT ${Math.max(OWNERS_LISTED, query.limit)}) g
    LEFT JOIN users o ON o.id = g.user_id ORDER BY o.login COLLATE NOCASE`);
  return rows.map(describeOwner);
}

/** `-` stands for files that belong to no user. */
function describeOwner(row: unknown): DataOf<typeof browseFiles>["byUser"][number] {
  const { user_id: userId, username, files, bytes } = ownerRow.parse(row);
  return {
    userId: userId === "-" ? null : userIdSchema.parse(userId),
    username,
    files,
    size: bytes,
  };
}

/** What a search found, grouped: its newest matches up to the limit. */
async function groupMatches(
  database: Database,
  match: SearchMatch | null,
  query: FileQuery,
): Promise<{ counts: readonly Count[]; owners: DataOf<typeof browseFiles>["byUser"] }> {
  if (match === null) return { counts: [], owners: [] };
  const whose = query.userId === undefined ? sql`TRUE` : sql`f.user_id = ${query.userId}`;
  const found = sql`
    SELECT coalesce(f.user_id, '-') AS user_id, f.status, f.upload_type, f.size_bytes
    FROM (${match.rows} ORDER BY rowid DESC) AS matches CROSS JOIN files f
    WHERE f.seq = matches.rowid AND ${whose} LIMIT ${MAX_EXACT_SEARCH_TOTAL}`;
  const rows = await database.all(sql`
    SELECT g.*, o.login AS username FROM (
      SELECT user_id, status, upload_type, count(*) AS files, sum(size_bytes) AS bytes
      FROM (${found}) GROUP BY user_id, status, upload_type) g
    LEFT JOIN users o ON o.id = g.user_id ORDER BY o.login COLLATE NOCASE`);
  const owners = Map.groupBy(rows, (row) => String(row.user_id));
  return {
    counts: rows.map((row) => countRow.parse(row)),
    owners: [...owners.values()].slice(0, Math.max(OWNERS_LISTED, query.limit)).map((own) =>
      describeOwner({
        ...own[0],
        files: own.reduce((total, row) => total + Number(row.files), 0),
        bytes: own.reduce((total, row) => total + Number(row.bytes), 0),
      }),
    ),
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

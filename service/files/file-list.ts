import type { DataOf } from "#contract/call.ts";
import type { browseFiles, fileStats } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { createListMemory, isWorthRemembering } from "#service/db/list-memory.ts";
import { pinPage } from "#service/db/list-page.ts";
import type { ListPage, ListWindow } from "#service/db/list-shape.ts";
import { pagedList } from "#service/db/paged-list.ts";
import { searchTerm } from "#service/db/search-match.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { countByStatus, readCounts, sum, type Count } from "./file-counts.ts";
import { groupCounted, groupMatches, type FileGroups } from "./file-groups.ts";
import { findFilePage } from "./file-page.ts";
import type { FileQuery } from "./file-query.ts";
import { describeFile, readFileRow, SELECT_FILE } from "./file-row.ts";

/**
 * One page of stored files. The summary and the groups cover all matching files, up to the limit of
 * a search's total.
 */
export async function pageFiles(
  database: Database,
  query: FileQuery,
): Promise<DataOf<typeof browseFiles>> {
  const window = { offset: (query.page - 1) * query.limit, limit: query.limit };
  const find = () => findPage(database, query, window);
  const { page, orderBy, groups } = isWorthRemembering(searchTerm(query.search), window)
    ? await pages.recall(database, query, async () => {
        const found = await find();
        return { ...found, page: await pinPage(database, found.page) };
      })
    : await find();
  const rows =
    page.rows === null
      ? []
      : await database.all(
          sql`${SELECT_FILE} WHERE f.seq IN (${page.rows})
            ORDER BY ${orderBy}`,
        );
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
    byStatus: groups.byStatus,
  };
}

type FoundPage = {
  readonly page: ListPage;
  readonly orderBy: Statement;
  readonly groups: FileGroups;
};

const pages = createListMemory<FoundPage>("files");

async function findPage(
  database: Database,
  query: FileQuery,
  window: ListWindow,
): Promise<FoundPage> {
  const { page, orderBy, counts, isSearch } = await findFilePage(database, query, window);
  const groups = isSearch
    ? await groupMatches(database, page, query)
    : await groupCounted(database, counts, query);
  return { page, orderBy, groups };
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
    byStatus: countByStatus(groups),
    byType: { twitch: ofType("twitch"), manual: ofType("manual"), chunk: ofType("chunk") },
  };
}

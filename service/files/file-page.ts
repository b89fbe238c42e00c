import { plainPage, searchPage } from "#service/db/list-page.ts";
import type { ListPage, ListWindow } from "#service/db/list-shape.ts";
import { searchMatch, searchTerm, type SearchMatch } from "#service/db/search-match.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { readCounts, sum, type Count } from "./file-counts.ts";
import { isByOwner, JOIN_OWNER, ownerPage, ownerShape } from "./file-owner-order.ts";
import { fileShape, rowHolds, type FileQuery } from "./file-query.ts";

export type FilePage = {
  readonly page: ListPage;
  readonly orderBy: Statement;
  /** Counts of the files that match the filters, ignoring the search. */
  readonly counts: readonly Count[];
  readonly isSearch: boolean;
};

/** Finds the files that match a query within a window of the list's order. */
export async function findFilePage(
  database: Database,
  query: FileQuery,
  window: ListWindow,
): Promise<FilePage> {
  const counts = await readCounts(database, query);
  const filtered = sum(counts, filesOf);
  const shape = fileShape(query, filtered);
  const orderBy = shape.orderBy(query.sortOrder);
  const term = searchTerm(query.search);
  if (term !== null) {
    const match = matchFiles(term, query);
    const rest = query.userId === undefined ? [] : [sql`f.user_id = ${query.userId}`];
    const page = await searchPage(
      database,
      isByOwner(query) ? ownerShape(query) : shape,
      {
        match,
        isIndexOrder: false,
        rest,
        table: sql`files f`,
        ...(isByOwner(query) ? { join: JOIN_OWNER } : {}),
        test: rowHolds(term),
        needsMatches: true,
      },
      filtered,
      window,
    );
    return { page, orderBy, counts, isSearch: true };
  }
  const page = isByOwner(query)
    ? await ownerPage(
        database,
        query,
        { total: filtered, all: sum(await readCounts(database, {}), filesOf) },
        window,
      )
    : plainPage(shape, filtered, window);
  return { page, orderBy, counts, isSearch: false };
}

function filesOf(group: Count): number {
  return group.files;
}

function matchFiles(term: string, { status, uploadType }: FileQuery): SearchMatch | null {
  return searchMatch(
    { trigrams: "file_trigrams", grams: "file_grams" },
    term,
    ["filename", "object_key"],
    { status, upload_type: uploadType },
  );
}

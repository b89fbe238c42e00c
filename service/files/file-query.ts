import type { QueryOf } from "#contract/call.ts";
import type { browseFiles } from "#contract/files.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Statement } from "#service/platform.ts";

export type FileQuery = QueryOf<typeof browseFiles>;

const SORT_COLUMNS: Readonly<Record<FileQuery["sortBy"], Statement>> = {
  date: sql`f.last_modified_at`,
  name: sql`f.filename COLLATE NOCASE`,
  size: sql`f.size_bytes`,
  user: sql`o.login COLLATE NOCASE`,
};

export function orderFiles({ sortBy, sortOrder }: FileQuery): Statement {
  const direction = sortOrder === "asc" ? sql`ASC` : sql`DESC`;
  return sql`ORDER BY ${SORT_COLUMNS[sortBy]} ${direction}, f.seq ${direction}`;
}

/** Plain substring of name or key; `%` and `_` mean themselves. */
export function matchFiles(query: FileQuery): Statement {
  const text = searchOf(query);
  return all([
    ...(query.userId === undefined ? [] : [sql`f.user_id = ${query.userId}`]),
    ...(query.uploadType === undefined ? [] : [sql`f.upload_type = ${query.uploadType}`]),
    ...(query.status === undefined ? [] : [sql`f.status = ${query.status}`]),
    ...(text === ""
      ? []
      : [
          sql`(instr(lower(f.filename), lower(${text})) > 0
            OR instr(lower(f.object_key), lower(${text})) > 0)`,
        ]),
  ]);
}

/** The same filter over the maintained counts, which know no search. */
export function matchFileCounts(query: FileQuery): Statement {
  return all([
    query.userId === undefined ? sql`c.user_id <> '*'` : sql`c.user_id = ${query.userId}`,
    sql`c.files > 0`,
    ...(query.uploadType === undefined ? [] : [sql`c.upload_type = ${query.uploadType}`]),
    ...(query.status === undefined ? [] : [sql`c.status = ${query.status}`]),
  ]);
}

export function searchOf(query: FileQuery): string {
  return query.search?.trim() ?? "";
}

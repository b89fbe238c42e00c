import * as z from "zod/mini";
import type { DataOf, QueryOf } from "#contract/call.ts";
import { fileStatusSchema, objectKeySchema, type matchingFiles } from "#contract/files.ts";
import { MAX_SELECTED } from "#contract/limits.ts";
import { flagColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { findFilePage } from "./file-query.ts";
import { FILE_TITLE, IS_UPLOAD_RUNNING } from "./file-row.ts";

const matchingRow = z.object({
  key: objectKeySchema,
  size: z.number(),
  status: fileStatusSchema,
  title: z.nullable(z.string()),
  isUploadRunning: flagColumn,
});

/** Every matching file with its current size and status, for selecting all of them. */
export async function listMatchingFiles(
  database: Database,
  query: QueryOf<typeof matchingFiles>,
): Promise<DataOf<typeof matchingFiles>> {
  const window = { offset: 0, limit: MAX_SELECTED };
  const newestFirst = { ...query, ...window, page: 1, sortBy: "date", sortOrder: "desc" } as const;
  const { page, orderBy } = await findFilePage(database, newestFirst, window);
  const rows = await database.all(sql`
    SELECT f.object_key AS key, f.size_bytes AS size, f.status, ${FILE_TITLE} AS title,
      ${IS_UPLOAD_RUNNING} AS isUploadRunning
    FROM files f LEFT JOIN uploads u ON u.id = f.upload_id
    WHERE f.seq IN (${page.rows}) ORDER BY ${orderBy}`);
  const found = rows.map((row) => matchingRow.parse(row));
  return {
    files: found.map(({ key, size, status }) => ({ key, size, status })),
    titles: found.map(({ title }) => title),
    running: found.flatMap(({ key, isUploadRunning }) => (isUploadRunning ? [key] : [])),
    totalIsCapped: found.length === MAX_SELECTED,
  };
}

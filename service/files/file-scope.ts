import * as z from "zod/mini";
import type { DataOf, QueryOf } from "#contract/call.ts";
import { fileStatusSchema, objectKeySchema, type matchingFiles } from "#contract/files.ts";
import { MAX_SELECTED } from "#contract/limits.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { findFilePage } from "./file-query.ts";

const chosenRow = z.pipe(
  z.object({ object_key: objectKeySchema, size_bytes: z.number(), status: fileStatusSchema }),
  z.transform((row) => ({ key: row.object_key, size: row.size_bytes, status: row.status })),
);

/** Every matching file with its current size and status, for selecting all of them. */
export async function listMatchingFiles(
  database: Database,
  query: QueryOf<typeof matchingFiles>,
): Promise<DataOf<typeof matchingFiles>> {
  const window = { offset: 0, limit: MAX_SELECTED };
  const newestFirst = { ...query, ...window, page: 1, sortBy: "date", sortOrder: "desc" } as const;
  const { page, orderBy } = await findFilePage(database, newestFirst, window);
  const rows = await database.all(sql`
    SELECT f.object_key, f.size_bytes, f.status FROM files f
    WHERE f.seq IN (${page.rows}) ORDER BY ${orderBy}`);
  const files = rows.map((row) => chosenRow.parse(row));
  return { files, totalIsCapped: files.length === MAX_SELECTED };
}

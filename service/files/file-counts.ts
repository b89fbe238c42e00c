import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import { fileStatusSchema, uploadTypeSchema, type fileStats } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { matchCounts, type FileQuery } from "./file-query.ts";

export const countRow = z.object({
  status: fileStatusSchema,
  upload_type: uploadTypeSchema,
  files: z.number(),
  bytes: z.number(),
});
export type Count = z.infer<typeof countRow>;

/** Reads the maintained counts: at most nine rows, regardless of the number of files. */
export async function readCounts(
  database: Database,
  query: Pick<FileQuery, "userId" | "status" | "uploadType">,
): Promise<readonly Count[]> {
  const rows = await database.all(sql`
    SELECT c.status, c.upload_type, c.files, c.bytes FROM file_counts c
    WHERE c.user_id = ${query.userId ?? "*"} AND c.files > 0 AND ${matchCounts(query)}`);
  return rows.map((row) => countRow.parse(row));
}

export function countByStatus(counts: readonly Count[]): DataOf<typeof fileStats>["byStatus"] {
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

export function sum(counts: readonly Count[], read: (count: Count) => number): number {
  return counts.reduce((total, count) => total + read(count), 0);
}

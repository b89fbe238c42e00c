import type { DataOf } from "#contract/call.ts";
import type { neighbouringFiles } from "#contract/files.ts";
import { inDirection, type Direction } from "#service/db/list.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { describeFile, readFileRow, SELECT_FILE, type FileRow } from "./file-row.ts";

/** As many as stand beside a player. */
const EACH_WAY = 10;

/** The videos of a file's channel that can be watched, before and after it by broadcast date. */
export async function findNeighbours(
  database: Database,
  { key, userId, recordedAt }: Pick<FileRow, "key" | "userId" | "recordedAt">,
): Promise<DataOf<typeof neighbouringFiles>> {
  // The sequence number decides between broadcasts that began at the same instant.
  const place = sql`(f.recorded_at, f.seq)`;
  const own = sql`(SELECT recorded_at, seq FROM files WHERE object_key = ${key})`;
  const find = async (where: Statement, direction: Direction) => {
    const order = inDirection(direction);
    const rows = await database.all(sql`${SELECT_FILE}
      WHERE f.seq IN (SELECT f.seq FROM files f INDEXED BY files_of_user_by_recording
        WHERE f.user_id = ${userId} AND f.recorded_at IS NOT NULL AND f.status <> 'orphaned'
          AND f.upload_type <> 'chunk' AND f.trash_until IS NULL AND f.object_key <> ${key}
          AND ${where}
        ORDER BY f.recorded_at ${order}, f.seq ${order} LIMIT ${EACH_WAY})
      ORDER BY f.recorded_at ${order}, f.seq ${order}`);
    return rows.map((row) => describeFile(readFileRow(row)));
  };
  const [newer, older] = await Promise.all([
    recordedAt === null ? [] : find(sql`${place} > ${own}`, "asc"),
    find(recordedAt === null ? sql`TRUE` : sql`${place} < ${own}`, "desc"),
  ]);
  return { newer, older };
}

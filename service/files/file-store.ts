import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { readFileRow, SELECT_FILE, type FileRow } from "./file-row.ts";

export async function findFile(database: Database, key: string): Promise<FileRow | null> {
  const [row] = await database.all(sql`${SELECT_FILE} WHERE f.object_key = ${key}`);
  return row === undefined ? null : readFileRow(row);
}

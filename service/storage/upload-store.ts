import type { UploadId } from "#contract/ids.ts";
import type { Upload } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { readUpload, SELECT_UPLOAD } from "./upload-row.ts";

export async function findUpload(database: Database, uploadId: string): Promise<Upload | null> {
  const [row] = await database.all(sql`${SELECT_UPLOAD} WHERE u.id = ${uploadId}`);
  return row === undefined ? null : readUpload(row);
}

/** The newest uploads, in order of creation, for a client that reconnects. */
export async function newestUploads(database: Database, count: number): Promise<readonly Upload[]> {
  const rows = await database.all(sql`${SELECT_UPLOAD} ORDER BY u.seq DESC LIMIT ${count}`);
  return rows.map(readUpload).toReversed();
}

export async function newestUploadOfVod(
  database: Database,
  vodId: string,
): Promise<{ id: UploadId; status: Upload["status"] } | null> {
  const [row] = await database.all(
    sql`${SELECT_UPLOAD} WHERE u.vod_id = ${vodId} ORDER BY u.seq DESC LIMIT 1`,
  );
  if (row === undefined) return null;
  const { id, status } = readUpload(row);
  return { id, status };
}

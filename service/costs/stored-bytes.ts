import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

/**
 * Bytes that the object store holds and bills: every indexed file, the parts of unfinished uploads,
 * which the index does not list yet (R2 bills pending multiparts), and the backups of the database.
 */
export async function readStoredBytes(database: Database): Promise<number> {
  const [row] = await database.all(sql`
    SELECT (SELECT value FROM counters WHERE name = 'files.bytes')
      + (SELECT kept_bytes FROM backup_record)
      + (SELECT coalesce(sum(u.stored_bytes), 0) FROM uploads u
          WHERE u.multipart_id IS NOT NULL AND u.status <> 'completed'
            AND NOT EXISTS (SELECT 1 FROM files f WHERE f.upload_id = u.id)) AS bytes`);
  return z.object({ bytes: z.number() }).parse(row).bytes;
}

import * as z from "zod/mini";
import type { DataOf } from "#contract/call.ts";
import { objectKeySchema } from "#contract/files.ts";
import { MAX_BULK_FILES } from "#contract/limits.ts";
import type { emptyTrash } from "#contract/trash.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { deleteTrashedFiles, sumOfDeleted } from "#service/files/file-deletion.ts";
import type { Actor } from "#service/http/route.ts";

const keyRow = z.object({ object_key: objectKeySchema });

/** Deletes the files that entered the trash first. Those whose uploads run are passed over. */
export async function deleteOldestTrash(
  context: ServiceContext,
  actor: Actor,
): Promise<DataOf<typeof emptyTrash>> {
  const { database } = context.platform;
  const rows = await database.all(sql`
    SELECT object_key FROM files f WHERE trash_until IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM uploads u WHERE u.id = f.upload_id AND u.status IN ('pending', 'processing'))
    ORDER BY trash_until, seq LIMIT ${MAX_BULK_FILES}`);
  const outcomes = await deleteTrashedFiles(
    context,
    rows.map((row) => keyRow.parse(row).object_key),
    actor,
    sql`f.trash_until IS NOT NULL`,
  );
  const [trash] = await database.all(
    sql`SELECT count(*) AS files FROM files WHERE trash_until IS NOT NULL`,
  );
  return { ...sumOfDeleted(outcomes), left: Number(trash?.files) };
}

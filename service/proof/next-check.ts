import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { DAY_MS, IS_READ_FIRST, type Pace } from "./scrub-pace.ts";

const checkRow = z.object({
  object_key: objectKeySchema,
  verify_part: z.number(),
  is_readable: z.number(),
  has_manifest: z.number(),
  last_modified_at: z.number(),
  is_asked: z.number(),
  unreadable_since: z.nullable(z.number()),
  is_marked: z.number(),
});
/** A file whose next part is to be read. */
export type Check = z.infer<typeof checkRow>;

/** Null if nothing is due. */
export async function findNextCheck(
  { platform }: ServiceContext,
  pace: Pace,
): Promise<Check | null> {
  const [row] = await platform.database.all(sql`
    SELECT f.object_key, f.verify_part, f.last_modified_at, f.verify_asked_at IS NOT NULL AS is_asked,
      iif(f.refusal IS NULL, f.unreadable_since_at, NULL) AS unreadable_since,
      json_extract(f.metadata, '$.problem') IS NOT NULL AS is_marked,
      (f.status <> 'orphaned' AND f.upload_type <> 'chunk') AS is_readable,
      EXISTS (SELECT 1 FROM uploads u WHERE u.id = f.upload_id AND u.manifest_key IS NOT NULL)
        AS has_manifest
    FROM files f WHERE f.object_key = (${nextFile(pace, platform.clock.now())})`);
  return row === undefined ? null : checkRow.parse(row);
}

/** First those that were asked for, then the one that was verified longest ago. */
function nextFile({ dueBytes }: Pace, nowMs: number): Statement {
  const mayBeTried = sql`(verify_retry_at IS NULL OR ${isPast(sql`verify_retry_at`, nowMs)})`;
  const dueBefore = dueBytes > 0 ? nowMs - DAY_MS : 0;
  return sql`
    SELECT object_key FROM (SELECT object_key FROM files
      WHERE ${IS_READ_FIRST} AND verify_asked_at IS NOT NULL AND ${mayBeTried}
      ORDER BY verify_asked_at LIMIT 1)
    UNION ALL SELECT object_key FROM (SELECT object_key FROM files
      WHERE verified_at < ${dueBefore} AND ${mayBeTried} ORDER BY verified_at, seq LIMIT 1)
    LIMIT 1`;
}

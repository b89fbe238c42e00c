import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { DAY_MS, type Pace } from "./scrub-pace.ts";

const checkRow = z.object({
  object_key: objectKeySchema,
  next_part: z.number(),
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
    SELECT c.object_key, c.next_part, f.last_modified_at, c.asked_at IS NOT NULL AS is_asked,
      iif(x.refusal IS NULL, x.since, NULL) AS unreadable_since,
      json_extract(f.metadata, '$.problem') IS NOT NULL AS is_marked,
      (f.status <> 'orphaned' AND f.upload_type <> 'chunk') AS is_readable,
      EXISTS (SELECT 1 FROM uploads u WHERE u.id = f.upload_id AND u.manifest_key IS NOT NULL)
        AS has_manifest
    FROM file_checks c JOIN files f ON f.object_key = c.object_key
      LEFT JOIN unreadable_files x ON x.object_key = c.object_key
    WHERE c.object_key = (${nextFile(pace, platform.clock.now())})`);
  return row === undefined ? null : checkRow.parse(row);
}

/** First those that were asked for, then the one that was verified longest ago. */
function nextFile({ dueBytes }: Pace, nowMs: number): Statement {
  const mayBeTried = sql`NOT EXISTS (SELECT 1 FROM unreadable_files x
    WHERE x.object_key = file_checks.object_key AND NOT ${isPast(sql`x.retry_at`, nowMs)})`;
  const dueBefore = dueBytes > 0 ? nowMs - DAY_MS : 0;
  return sql`
    SELECT object_key FROM (SELECT object_key FROM file_checks
      WHERE asked_at IS NOT NULL AND ${mayBeTried} ORDER BY asked_at LIMIT 1)
    UNION ALL SELECT object_key FROM (SELECT object_key FROM file_checks
      WHERE verified_at < ${dueBefore} AND ${mayBeTried} ORDER BY verified_at, object_key LIMIT 1)
    LIMIT 1`;
}

import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { DAY_MS, type Pace } from "./scrub-pace.ts";

const checkRow = z.object({
  object_key: objectKeySchema,
  verify_part: z.number(),
  is_readable: z.number(),
  has_manifest: z.number(),
  last_modified_at: z.number(),
  unreadable_since_at: z.nullable(z.number()),
  is_refused: z.number(),
  is_marked: z.number(),
});
/** A file whose next part is to be read. */
export type Check = z.infer<typeof checkRow>;

/** The scrub's next file: the one that was verified longest ago. Null if none is due. */
export async function findNextCheck(
  context: ServiceContext,
  { askedAtMs, dueBytes }: Pace,
): Promise<Check | null> {
  if (askedAtMs === null && dueBytes <= 0) return null;
  const dueBeforeMs = askedAtMs ?? context.platform.clock.now() - DAY_MS;
  return await findCheck(
    context,
    sql`(SELECT object_key FROM files WHERE verified_at < ${dueBeforeMs}
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = 'verify' AND key = object_key)
      ORDER BY verified_at, seq LIMIT 1)`,
  );
}

/** Null if the file is gone. */
export async function findCheck(
  { platform }: ServiceContext,
  key: Statement,
): Promise<Check | null> {
  const [row] = await platform.database.all(sql`
    SELECT f.object_key, f.verify_part, f.last_modified_at, f.unreadable_since_at,
      f.is_refused,      json_extract(f.metadata, '$.problem') IS NOT NULL AS is_marked,
      (f.status <> 'orphaned' AND f.upload_type <> 'chunk') AS is_readable,
      EXISTS (SELECT 1 FROM uploads u WHERE u.id = f.upload_id AND u.manifest_key IS NOT NULL)
        AS has_manifest
    FROM files f WHERE f.object_key = ${key}`);
  return row === undefined ? null : checkRow.parse(row);
}

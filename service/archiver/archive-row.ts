import { objectKeySchema } from "#contract/files.ts";
import { twitchVodIdSchema, uploadIdSchema } from "#contract/ids.ts";
import { timeRangeSchema } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { rightsSchema } from "./archive-manifest.ts";
import { LeaseLost } from "./run-end.ts";
import type { UploadLease } from "./upload-lease.ts";
import * as z from "zod/mini";

const jsonOf = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text): unknown => JSON.parse(text)),
    ),
    schema,
  );

/** The columns of an upload that a run needs, read when it begins. */
const archiveRow = z.object({
  id: uploadIdSchema,
  vod_id: twitchVodIdSchema,
  owner_id: z.string(),
  filename: z.string(),
  rights: rightsSchema,
  object_key: z.nullable(objectKeySchema),
  manifest_key: z.nullable(objectKeySchema),
  multipart_id: z.nullable(z.string()),
  part_size_bytes: z.nullable(z.number()),
  attempts: z.number(),
  retry_count: z.number(),
  max_retries: z.number(),
  stall_count: z.number(),
  source_bytes: z.nullable(z.number()),
  progress: z.number(),
  segments_done: z.number(),
  last_segment: z.nullable(z.number()),
  progress_history: jsonOf(z.array(z.object({ at: z.number(), percentage: z.number() }))),
  muted_ranges: jsonOf(z.array(timeRangeSchema)),
  missing_ranges: jsonOf(z.array(timeRangeSchema)),
});
export type ArchiveRow = z.infer<typeof archiveRow>;

/** @throws {LeaseLost} when the row is gone or another runner has it */
export async function readArchiveRow(database: Database, lease: UploadLease): Promise<ArchiveRow> {
  const [row] = await database.all(sql`
    SELECT id, vod_id, owner_id, filename, rights, object_key, manifest_key, multipart_id,
      part_size_bytes, attempts, retry_count, max_retries, stall_count, source_bytes,
      progress, segments_done, last_segment, progress_history, muted_ranges, missing_ranges
    FROM uploads WHERE id = ${lease.uploadId} AND epoch = ${lease.epoch}`);
  if (row === undefined) throw new LeaseLost("Another runner has this upload");
  return archiveRow.parse(row);
}

import { objectKeySchema, type FileStatus, type UploadType } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";

export type FileSeed = {
  readonly key: string;
  readonly filename?: string;
  readonly userId?: string | null;
  readonly uploadId?: string;
  readonly vodId?: string;
  readonly uploadType?: UploadType;
  readonly status?: FileStatus;
  readonly contentType?: string;
  readonly modifiedAtMs?: number;
  readonly recordedAtMs?: number;
  /** The object's content; without it only the row is created. */
  readonly bytes?: Uint8Array;
  readonly sizeBytes?: number;
};

/** Inserts a stored file's row into the database, and its bytes into the store. */
export async function seedFile(
  platform: Pick<Platform, "database" | "objects">,
  seed: FileSeed,
): Promise<void> {
  const contentType = seed.contentType ?? "video/mp2t";
  if (seed.bytes !== undefined)
    await platform.objects.put(objectKeySchema.parse(seed.key), seed.bytes, { contentType });
  await platform.database.run(sql`
    INSERT INTO files (object_key, upload_id, user_id, vod_id, filename, size_bytes, upload_type, status,
      content_type, last_modified_at, recorded_at)
    VALUES (${seed.key}, ${seed.uploadId ?? null}, ${seed.userId ?? null}, ${seed.vodId ?? null}, ${seed.filename ?? null},
      ${seed.sizeBytes ?? seed.bytes?.length ?? 0}, ${seed.uploadType ?? "twitch"},
      ${seed.status ?? "complete"}, ${contentType}, ${seed.modifiedAtMs ?? Date.now()},
      ${seed.recordedAtMs ?? null})`);
}

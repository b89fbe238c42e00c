import * as z from "zod/mini";
import {
  chapterSchema,
  fileStatusSchema,
  objectKeySchema,
  uploadTypeSchema,
  type StoredFile,
} from "#contract/files.ts";
import { uploadIdSchema, userIdSchema } from "#contract/ids.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row } from "#service/ports/database.ts";

/** A row of `files` with its user's name. */
const fileRowSchema = z.object({
  object_key: objectKeySchema,
  upload_id: z.nullable(uploadIdSchema),
  user_id: z.nullable(userIdSchema),
  username: z.nullable(z.string()),
  vod_id: z.nullable(z.string()),
  filename: z.nullable(z.string()),
  size_bytes: z.number(),
  upload_type: uploadTypeSchema,
  status: fileStatusSchema,
  content_type: z.string(),
  has_thumbnail: z.nullable(z.number()),
  chat_key: z.nullable(objectKeySchema),
  verified_at: z.nullable(z.number()),
  metadata: jsonText(z.record(z.string(), z.unknown())),
  last_modified_at: z.number(),
});
export type FileRow = z.infer<typeof fileRowSchema>;

/** The owner of a file `f`, to be joined to it. */
export const FILE_OWNER = sql`file_owners o ON o.user_id = coalesce(f.user_id, '-')`;

/** SELECT list and join for {@link readFileRow}; append WHERE and ORDER BY. */
export const SELECT_FILE = sql`
  SELECT f.object_key, f.upload_id, f.user_id, nullif(o.login, '') AS username, f.vod_id, f.filename,
    f.size_bytes, f.upload_type, f.status, f.content_type, f.metadata, f.last_modified_at,
    (SELECT u.has_thumbnail FROM uploads u WHERE u.id = f.upload_id) AS has_thumbnail,
    (SELECT u.chat_key FROM uploads u WHERE u.id = f.upload_id) AS chat_key,
    (SELECT nullif(c.verified_at, 0) FROM file_checks c WHERE c.object_key = f.object_key)
      AS verified_at
  FROM files f LEFT JOIN ${FILE_OWNER}`;

export function readFileRow(row: Row): FileRow {
  return fileRowSchema.parse(row);
}

export async function findFile(database: Database, key: string): Promise<FileRow | null> {
  const [row] = await database.all(sql`${SELECT_FILE} WHERE f.object_key = ${key}`);
  return row === undefined ? null : readFileRow(row);
}

export function describeFile(file: FileRow): StoredFile {
  const { chapters, ...metadata } = file.metadata;
  return {
    key: file.object_key,
    filename: file.filename,
    size: file.size_bytes,
    lastModified: new Date(file.last_modified_at).toISOString(),
    uploadType: file.upload_type,
    status: file.status,
    username: file.username,
    userId: file.user_id,
    vodId: file.vod_id,
    // Without a record of the upload, there is no value either.
    uploadId: file.has_thumbnail === null ? null : file.upload_id,
    hasThumbnail: file.has_thumbnail === 1,
    verifiedAt: file.verified_at === null ? null : new Date(file.verified_at).toISOString(),
    chapters: z.array(chapterSchema).safeParse(chapters).data ?? [],
    metadata,
  };
}

/** False for orphaned files, which have no owner, and for unfinished uploads. */
export function canBeRead(file: FileRow): boolean {
  return file.status !== "orphaned" && file.upload_type !== "chunk";
}

/** Whether a playlist lies beside the file: always for VODs, and for direct URLs of playlists. */
export function hasPlaylist({ upload_type: type, metadata }: FileRow): boolean {
  return type === "twitch" || (type === "url" && typeof metadata["playlistKey"] === "string");
}

/** The file name of a download; falls back to the last part of the key. */
export function nameOf(file: FileRow): string {
  return file.filename ?? file.object_key.slice(file.object_key.lastIndexOf("/") + 1);
}

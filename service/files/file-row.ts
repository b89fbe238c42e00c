import * as z from "zod/mini";
import { chatStateSchema } from "#contract/chat-state.ts";
import {
  chapterSchema,
  objectKeySchema,
  sourceChangeSchema,
  storedFileSchema,
  type StoredFile,
} from "#contract/files.ts";
import { IS_REQUESTED } from "#service/proof/verification-request.ts";
import { CHAT_STATE } from "#service/storage/upload-row.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import { partOf, vodOf } from "#service/storage/item-id.ts";
import type { Database, Row } from "#service/ports/database.ts";

/** A file in the contract's form; its chapters are still within its metadata, its part within `vodId`. */
const fileRowSchema = z.object({
  ...z.omit(storedFileSchema, { chapters: true, part: true }).shape,
  lastModified: instantColumn,
  recordedAt: z.nullable(instantColumn),
  hasThumbnail: flagColumn,
  hasStoryboard: flagColumn,
  isUploadRunning: flagColumn,
  verifiedAt: z.nullable(instantColumn),
  isVerificationDue: flagColumn,
  lockedAt: z.nullable(instantColumn),
  trashedAt: z.nullable(instantColumn),
  trashUntil: z.nullable(instantColumn),
  sourceChange: z.nullable(jsonText(z.extend(sourceChangeSchema, { since: instantColumn }))),
  metadata: jsonText(storedFileSchema.shape.metadata),
  contentType: z.string(),
  chatKey: z.nullable(objectKeySchema),
  chatState: jsonText(chatStateSchema),
});
export type FileRow = z.infer<typeof fileRowSchema>;

/** The owner of a file `f`, to be joined to it. */
export const FILE_OWNER = sql`file_owners o ON o.user_id = coalesce(f.user_id, '-')`;

/** The length of a file `f`, as its index has it. */
export const FILE_DURATION_SEC = sql`json_extract(f.metadata, '$.durationSec')`;

/** The title of a file `f`, or that of its upload `u` while it is unfinished. */
export const FILE_TITLE = sql`coalesce(json_extract(f.metadata, '$.title'), u.title)`;
/** Of a file's upload `u`, if it has one. */
export const IS_UPLOAD_RUNNING = sql`coalesce(u.status IN ('pending', 'processing'), 0)`;

/** The gravest change of a VOD `v` at its source, in the contract's form. */
const SOURCE_CHANGE = sql`CASE
  WHEN v.gone_at IS NOT NULL THEN json_object('kind', 'gone', 'since', v.gone_at)
  WHEN v.cut_at IS NOT NULL THEN json_object('kind', 'cut', 'since', v.cut_at)
  WHEN v.muted_at IS NOT NULL THEN json_object('kind', 'muted', 'since', v.muted_at)
  WHEN v.longer_at IS NOT NULL THEN json_object('kind', 'longer', 'since', v.longer_at) END`;

/** SELECT list and join for {@link readFileRow}; append WHERE and ORDER BY. */
export const SELECT_FILE = sql`
  SELECT f.object_key AS key, f.filename, f.size_bytes AS size, f.last_modified_at AS lastModified,
    ${FILE_TITLE} AS title, f.recorded_at AS recordedAt,
    coalesce(${FILE_DURATION_SEC}, u.duration_sec) AS durationSec,
    f.upload_type AS uploadType, f.status, nullif(o.login, '') AS username, f.user_id AS userId,
    f.vod_id AS vodId, u.id AS uploadId, coalesce(u.has_thumbnail, 0) AS hasThumbnail,
    coalesce(u.has_storyboard, 0) AS hasStoryboard,
    ${IS_UPLOAD_RUNNING} AS isUploadRunning,
    nullif(f.verified_at, 0) AS verifiedAt, ${IS_REQUESTED} AS isVerificationDue,
    f.locked_at AS lockedAt, f.trashed_at AS trashedAt, f.trash_until AS trashUntil,
    (SELECT ${SOURCE_CHANGE} FROM vods v WHERE v.vod_id = f.vod_id AND f.upload_type = 'twitch')
      AS sourceChange,
    f.metadata, f.content_type AS contentType, u.chat_key AS chatKey,
    ${CHAT_STATE} AS chatState
  FROM files f LEFT JOIN ${FILE_OWNER} LEFT JOIN uploads u ON u.id = f.upload_id
    LEFT JOIN chats c ON c.upload_id = u.id`;

export function readFileRow(row: Row): FileRow {
  return fileRowSchema.parse(row);
}

export async function findFile(database: Database, key: string): Promise<FileRow | null> {
  const [row] = await database.all(sql`${SELECT_FILE} WHERE f.object_key = ${key}`);
  return row === undefined ? null : readFileRow(row);
}

export function describeFile(row: FileRow): StoredFile {
  const { contentType: _type, chatKey: _chat, metadata: stored, vodId, ...file } = row;
  const { chapters, ...metadata } = stored;
  return {
    ...file,
    vodId: vodId === null ? null : vodOf(vodId),
    part: partOf(vodId),
    chapters: z.array(chapterSchema).safeParse(chapters).data ?? [],
    metadata,
  };
}

/** False for orphaned files, which have no owner, and for unfinished uploads. */
export function canBeRead(file: FileRow): boolean {
  return file.status !== "orphaned" && file.uploadType !== "chunk";
}

/** Whether a playlist lies beside the file: always for VODs, and for direct URLs of playlists. */
export function hasPlaylist({ uploadType: type, metadata }: FileRow): boolean {
  return type === "twitch" || (type === "url" && typeof metadata["playlistKey"] === "string");
}

import * as z from "zod/mini";
import { LIBRARY_TEXT_VERSION } from "#contract/consent.ts";
import { chapterSchema, objectKeySchema } from "#contract/files.ts";
import { instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { partOf } from "#service/storage/item-id.ts";
import { beginOf, extensionOf, type LibraryVideo } from "./library-path.ts";

const FILES = sql`files f JOIN uploads u ON u.id = f.upload_id`;

/** Condition on a file `f`: a VOD that is whole and not in the trash. */
const IS_STORED = sql`(f.upload_type = 'twitch' AND f.status = 'complete' AND f.trash_until IS NULL)`;

/**
 * Condition on its upload `u`: its owner agreed to a text that names media servers, or an administrator
 * has confirmed the rights; and the owner has not withdrawn consent since.
 */
const IS_ALLOWED = sql`((u.rights <> 'owner_signed_in'
    OR EXISTS (SELECT 1 FROM consents k JOIN users o ON o.id = k.owner_id
      WHERE k.owner_id = u.owner_id AND k.text_version >= ${LIBRARY_TEXT_VERSION}
        AND k.withdrawn_at IS NULL AND o.banned_at IS NULL)
    OR EXISTS (SELECT 1 FROM rights_confirmations r WHERE r.owner_id = u.owner_id))
  AND NOT EXISTS (SELECT 1 FROM consents k
    WHERE k.owner_id = u.owner_id AND k.withdrawn_at >= u.created_at))`;

const IS_WANTED = sql`(${IS_STORED} AND f.recorded_at IS NOT NULL AND ${IS_ALLOWED})`;

/**
 * Another text whenever what is made of a VOD may be another: chapters, a thumbnail, a chat, the chat
 * without the names of people who were erased since, and the channel's picture.
 */
const MADE_OF = sql`(length(f.metadata) || ' ' || u.has_thumbnail || ' ' || (u.muted_ranges <> '[]')
  || ' ' || coalesce(u.chat_key, '') || ' ' || coalesce(c.stored_until_sec, '')
  || ' ' || length(coalesce(c.stored_short_seconds, ''))
  || ' ' || coalesce((SELECT max(erased_at) FROM erased_chatters), '')
  || ' ' || coalesce(o.profile_image_url, ''))`;

/** A file whose name another program has taken is tried again after this time. */
const RETRY_AFTER_MS = 3_600_000;

const videoRow = z.object({
  key: objectKeySchema,
  vod_id: z.string(),
  metadata: jsonText(
    z.object({
      title: z.optional(z.string()),
      durationSec: z.optional(z.nullable(z.number())),
      chapters: z.optional(z.array(chapterSchema)),
    }),
  ),
  recorded_at: instantColumn,
  is_muted: z.number(),
  chat_key: z.nullable(objectKeySchema),
  has_thumbnail: z.number(),
  channel_id: z.string(),
  login: z.string(),
  display_name: z.string(),
  profile_image_url: z.nullable(z.string()),
  made_of: z.string(),
});

export type DueVideo = LibraryVideo & {
  readonly chatKey: LibraryVideo["key"] | null;
  readonly hasThumbnail: boolean;
  readonly madeOf: string;
};

/** Videos that are not in the library, or not as they are now. A chat that is rewritten waits. */
export async function readDueVideos(
  database: Database,
  nowMs: number,
  limit: number,
): Promise<readonly DueVideo[]> {
  const rows =
    await database.all(sql`SELECT f.object_key AS key, f.vod_id, f.metadata, f.recorded_at,
      u.muted_ranges <> '[]' AS is_muted, u.chat_key, u.has_thumbnail, o.id AS channel_id, o.login,
      o.display_name, o.profile_image_url, ${MADE_OF} AS made_of
    FROM ${FILES} JOIN users o ON o.id = u.owner_id LEFT JOIN chats c ON c.upload_id = u.id
      LEFT JOIN library_items l ON l.key = f.object_key
    WHERE ${IS_WANTED} AND (l.made_of IS NOT ${MADE_OF} OR l.problem IS NOT NULL
        AND (l.tried_at <= ${nowMs - RETRY_AFTER_MS} OR l.tried_at > ${nowMs}))
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = 'erasure' AND key = u.id)
    ORDER BY f.recorded_at, f.seq LIMIT ${limit}`);
  return rows.map((row) => {
    const { key, metadata, ...video } = videoRow.parse(row);
    return {
      key,
      itemId: video.vod_id,
      title: metadata.title ?? video.vod_id,
      recordedAt: beginOf(video.recorded_at, partOf(video.vod_id)),
      durationSec: metadata.durationSec ?? null,
      channel: {
        id: video.channel_id,
        login: video.login,
        displayName: video.display_name,
        profileImageUrl: video.profile_image_url,
      },
      chapters: metadata.chapters ?? [],
      isMuted: video.is_muted === 1,
      chatKey: video.chat_key,
      hasThumbnail: video.has_thumbnail === 1,
      madeOf: video.made_of,
    };
  });
}

const mark = { sizeBytes: z.number(), modifiedMs: z.number() };
const markSchema = z.object({ ...mark, replaces: z.optional(z.nullable(z.object(mark))) });

const itemRow = z.object({
  key: z.string(),
  path: z.string(),
  made: jsonText(z.record(z.string(), markSchema)),
  made_of: z.nullable(z.string()),
});

/** `made`: what the service made, by ending. */
export type LibraryItem = z.infer<typeof itemRow>;

export async function findItem(database: Database, key: string): Promise<LibraryItem | null> {
  const [row] = await database.all(sql`SELECT * FROM library_items WHERE key = ${key}`);
  return row === undefined ? null : itemRow.parse(row);
}

/** Where the library has a video. */
export async function findLibraryPath(
  database: Database,
  key: string,
): Promise<string | undefined> {
  const [row] = await database.all(sql`SELECT path FROM library_items
    WHERE key = ${key} AND made_of IS NOT NULL AND problem IS NULL`);
  return row && `${String(row["path"])}${extensionOf(key)}`;
}

/** The key of a channel's folder. */
export function channelKey(channelId: string): string {
  return CHANNELS + channelId;
}

const CHANNELS = "channels/";

/** Condition on an item `v`: a video of this channel. Keys of stored VODs begin with their owner's. */
function isOfChannel(channelId: Statement): Statement {
  return sql`(v.key > 'vods/' || ${channelId} || '/' AND v.key < 'vods/' || ${channelId} || '0')`;
}

/** The folders of all channels. */
export async function readFolders(database: Database): Promise<readonly string[]> {
  const rows = await database.all(
    sql`SELECT path FROM library_items WHERE key > ${CHANNELS} AND key < 'channels0'`,
  );
  return rows.map(({ path }) => String(path));
}

/** The paths of a channel's videos. */
export async function readPaths(database: Database, channelId: string): Promise<readonly string[]> {
  const rows = await database.all(
    sql`SELECT v.path FROM library_items v WHERE ${isOfChannel(sql`${channelId}`)}`,
  );
  return rows.map(({ path }) => String(path));
}

/** Videos that have to leave the library, then channels without any. */
export async function readUnwanted(
  database: Database,
  limit: number,
): Promise<readonly LibraryItem[]> {
  const isChannel = sql`l.key LIKE 'channels/%'`;
  const channelId = sql`substr(l.key, ${CHANNELS.length + 1})`;
  const rows = await database.all(sql`SELECT l.* FROM library_items l
    WHERE iif(${isChannel},
      NOT EXISTS (SELECT 1 FROM library_items v WHERE ${isOfChannel(channelId)}),
      NOT EXISTS (SELECT 1 FROM ${FILES} WHERE f.object_key = l.key AND ${IS_WANTED}))
    ORDER BY ${isChannel} LIMIT ${limit}`);
  return rows.map((row) => itemRow.parse(row));
}

const countsRow = z.object({
  stored: z.number(),
  listed: z.number(),
  without_consent: z.number(),
  without_date: z.number(),
  /** What copies of all videos that are not in the library would take. */
  due_bytes: z.number(),
});

export async function countVideos(database: Database) {
  const [row] = await database.all(sql`SELECT count(*) AS stored,
      count(*) FILTER (WHERE ${IS_WANTED} AND l.made_of IS NOT NULL AND l.problem IS NULL) AS listed,
      count(*) FILTER (WHERE NOT ${IS_ALLOWED}) AS without_consent,
      count(*) FILTER (WHERE f.recorded_at IS NULL AND ${IS_ALLOWED}) AS without_date,
      total(f.size_bytes) FILTER (WHERE ${IS_WANTED} AND l.made_of IS NULL) AS due_bytes
    FROM ${FILES} LEFT JOIN library_items l ON l.key = f.object_key WHERE ${IS_STORED}`);
  return countsRow.parse(row);
}

/** Has what is missing made again, also what a person removed. */
export const forgetMade = sql`UPDATE library_items SET made_of = NULL, problem = NULL`;

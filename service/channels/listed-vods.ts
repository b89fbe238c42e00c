import { vodKindSchema } from "#contract/channel-rules.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement, Write } from "#service/ports/database.ts";
import { storeNames } from "#service/storage/stored-name.ts";
import { isStored, wakeVodChecks } from "#service/storage/upload-vod.ts";
import { describeVideo } from "#service/twitch/describe-video.ts";
import type { HelixVideo } from "#service/twitch/helix-shapes.ts";

/** `last_seen_at` is this exact, so that a list without news writes little. */
const SEEN_EVERY_MS = 12 * 3_600_000;

/** A list lacks a VOD in three readings in a row before the source is asked for it by its id. */
export const DOUBTED_LISTS = 3;

type Listed = { readonly owner_id: string; readonly stream_id: string | null };

/** Condition: the stream has a VOD after the one of that time. It then records into the newest. */
function hasSuccessor(recordedAt: Statement, ownerId: string, streamId: string | null): Statement {
  return sql`EXISTS (SELECT 1 FROM vods n WHERE n.owner_id = ${ownerId} AND n.kind = 'archive'
    AND n.stream_id = ${streamId} AND n.gone_at IS NULL AND n.recorded_at > ${recordedAt})`;
}

/**
 * Records VODs of a channel as its list has them; rules decide them afterwards. What is listed is
 * there: it is no longer missing or gone. Of the VODs of a stream, only the newest grows. Safe to
 * repeat.
 */
export async function recordPage(
  write: Write,
  { owner_id: ownerId, stream_id: streamId }: Listed,
  page: readonly HelixVideo[],
  nowMs: number,
): Promise<{ readonly added: number; /** Including added ones. */ readonly changed: number }> {
  const vods = page
    .filter(({ type }) => vodKindSchema.safeParse(type).success)
    .map((video) => {
      const { title, durationSec, createdAt } = describeVideo(video, false);
      const { id, type: kind } = video;
      const isGrowing = kind === "archive" && streamId !== null && video.stream_id === streamId;
      return {
        id,
        kind,
        title,
        durationSec,
        recordedAtMs: createdAt.getTime(),
        streamId: video.stream_id ?? null,
        isGrowing,
      };
    });
  const [first] = page;
  if (first === undefined) return { added: 0, changed: 0 };
  const { user_login: login, user_name: name } = first;
  const displayName = name === "" ? login : name;
  const [, , recorded] = await write([
    ...storeNames([{ id: ownerId, login, displayName, profileImageUrl: null }], "listed", nowMs),
    sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at, stream_id,
        is_growing, first_seen_at, last_seen_at, next_check_at, is_stored)
      SELECT value ->> 'id', ${ownerId}, value ->> 'kind', value ->> 'title',
        value ->> 'durationSec', value ->> 'recordedAtMs', value ->> 'streamId',
        value ->> 'isGrowing' AND NOT ${hasSuccessor(sql`value ->> 'recordedAtMs'`, ownerId, streamId)},
        ${nowMs}, ${nowMs}, (SELECT 0 FROM files WHERE vod_id = value ->> 'id' LIMIT 1),
        ${isStored(sql`value ->> 'id'`)}
      FROM json_each(${JSON.stringify(vods)}) WHERE TRUE
      ON CONFLICT (vod_id) DO UPDATE SET kind = excluded.kind, title = excluded.title,
        duration_sec = excluded.duration_sec, recorded_at = excluded.recorded_at,
        stream_id = excluded.stream_id, is_growing = excluded.is_growing,
        last_seen_at = excluded.last_seen_at, missing_lists = 0, absent_since_at = NULL,
        gone_at = NULL, lost_at = NULL
      WHERE kind <> excluded.kind OR title <> excluded.title
        OR duration_sec IS NOT excluded.duration_sec OR stream_id IS NOT excluded.stream_id
        OR is_growing <> excluded.is_growing OR missing_lists > 0 OR gone_at IS NOT NULL
        OR last_seen_at NOT BETWEEN ${nowMs - SEEN_EVERY_MS} AND ${nowMs}
      RETURNING first_seen_at = ${nowMs} AS is_new`,
    wakeVodChecks,
  ]);
  const rows = recorded?.rows ?? [];
  return { added: rows.filter((row) => row["is_new"] === 1).length, changed: rows.length };
}

/**
 * Records what follows from the end of a list: earlier VODs and those of earlier streams grow no more,
 * and those that a whole list lacks are missing once more. Lists since `startedMs` may have added others.
 */
export async function recordListEnd(
  write: Write,
  { owner_id: ownerId, stream_id: streamId }: Listed,
  whole: { readonly seen: readonly string[]; readonly startedMs: number } | null,
): Promise<void> {
  await write([
    sql`UPDATE vods SET is_growing = 0
      WHERE owner_id = ${ownerId} AND is_growing = 1 AND (stream_id IS NOT ${streamId}
        OR ${hasSuccessor(sql`vods.recorded_at`, ownerId, streamId)})`,
    ...(whole === null
      ? []
      : [
          sql`UPDATE vods SET missing_lists = missing_lists + 1,
              next_check_at = iif(missing_lists + 1 = ${DOUBTED_LISTS}, 0, next_check_at)
            WHERE owner_id = ${ownerId} AND gone_at IS NULL AND missing_lists < ${DOUBTED_LISTS}
              AND first_seen_at < ${whole.startedMs}
              AND vod_id NOT IN (SELECT value FROM json_each(${JSON.stringify(whole.seen)}))`,
          wakeVodChecks,
        ]),
  ]);
}

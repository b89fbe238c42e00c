import * as z from "zod/mini";
import { vodKindSchema } from "#contract/channel-rules.ts";
import { type TwitchUserId, twitchUserIdSchema } from "#contract/ids.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import { jitter } from "#service/jitter.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { SourceError } from "#service/source/source-error.ts";
import { storeNames } from "#service/storage/stored-name.ts";
import { ApplicationRefused } from "#service/twitch/app-token.ts";
import { describeVideo } from "#service/twitch/describe-video.ts";
import type { HelixVideo } from "#service/twitch/helix-shapes.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import { recordKeepsNone } from "./channel-finding.ts";
import { DAY_MS, FAILURES_BEFORE_TROUBLE, MINUTE_MS, type Polling } from "./polling.ts";

/**
 * When the list of a channel's VODs is read. It is due (`next_list_at`)
 *
 * - when its channel goes live or offline, and ten minutes later (live-sweep.ts);
 * - after {@link UNLISTED_AGAIN_MS} while the VOD of the running stream is not listed, also if the
 *   list fails, unless Twitch asks to wait. After
 *   {@link UNLISTED_FOR_MS}, the channel probably keeps no VODs: every ten minutes until its end;
 * - once an hour while it is live: a stream may begin another VOD;
 * - ten minutes after it lacked a VOD, until three lists in a row did (source-changes.ts);
 * - once a day, because highlights and uploads make no event.
 *
 * The daily list is read to its end, and so is one after a failure, an interruption, or with missing
 * VODs. Others are read until a page brings nothing new.
 */

/** So that a VOD is seen within a minute. */
const UNLISTED_AGAIN_MS = 50_000;
const UNLISTED_FOR_MS = 15 * MINUTE_MS;
const AGAIN_MS = 10 * MINUTE_MS;
const LIVE_AGAIN_MS = 60 * MINUTE_MS;

/** A list that is not whole by then is read to its end; less than a day, which varies by a tenth. */
const WHOLE_EVERY_MS = 20 * 3_600_000;

/**
 * Requests of one round. A list of one page takes up to 20 statements, of which D1 allows 1,000 to
 * all tasks that run at once.
 */
const REQUESTS_AT_ONCE = 25;

/** Twitch is down: others would fail, too. */
const MAX_FAILURES = 3;

const FIRST_RETRY_MS = MINUTE_MS;
const LAST_RETRY_MS = 10 * MINUTE_MS;

/** A round that ended without a result is repeated after this. */
const READ_WITHIN_MS = MINUTE_MS;

const claimedRow = z.object({
  owner_id: twitchUserIdSchema,
  display_name: z.string(),
  next_list_at: z.number(),
  listed_at: z.nullable(z.number()),
  list_failures: z.number(),
  stream_id: z.nullable(z.string()),
  is_unfinished: z.number(),
});
type Claimed = z.infer<typeof claimedRow>;

/**
 * Reads the lists that are due and yields each channel whose list told something; its rule judges that
 * before the next list is read. Rounds may overlap.
 */
export async function* readDueLists(polling: Polling): AsyncGenerator<TwitchUserId, void> {
  let requests = 0;
  let failures = 0;
  while (requests < REQUESTS_AT_ONCE && failures < MAX_FAILURES) {
    const channel = await claimNext(polling);
    if (channel === null) return;
    const read = await readList(polling, channel);
    // Also what was on the first pages of a list that failed: it may fail for longer than VODs last.
    if (read.hasNews) yield channel.owner_id;
    requests += read.requests;
    failures = read.error === null ? 0 : failures + 1;
    if (read.error === null) await recordSuccess(polling, channel, read.isComplete);
    else await recordListFailure(polling, channel, read.error);
  }
}

/** Those whose broadcast is not listed yet come first; then who has waited longest. */
async function claimNext({ context }: Polling): Promise<Claimed | null> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const isDue = sql`${isPast(sql`next_list_at`, nowMs)} AND paused_at IS NULL`;
  const { rows } = await database.run(sql`
    UPDATE channels SET next_list_at = ${nowMs + READ_WITHIN_MS}
    WHERE ${isDue} AND owner_id = (SELECT owner_id FROM channels WHERE ${isDue}
      ORDER BY unlisted_stream_id IS NULL, next_list_at LIMIT 1)
    RETURNING owner_id, (SELECT display_name FROM users WHERE id = owner_id) AS display_name, next_list_at, listed_at, list_failures, stream_id,
      EXISTS (SELECT 1 FROM vods v WHERE v.owner_id = channels.owner_id AND v.gone_at IS NULL
        AND (v.missing_lists BETWEEN 1 AND 2 OR v.decision IS NULL)) AS is_unfinished`);
  const [row] = rows;
  return row === undefined ? null : claimedRow.parse(row);
}

type ReadList = {
  readonly requests: number;
  readonly hasNews: boolean;
  readonly isComplete: boolean;
  readonly error: SourceError | null;
};

async function readList(polling: Polling, channel: Claimed): Promise<ReadList> {
  const { database, clock } = polling.context.platform;
  const { owner_id: ownerId, listed_at: listedAtMs } = channel;
  const startedMs = clock.now();
  const isWhole =
    listedAtMs === null ||
    Math.abs(startedMs - listedAtMs) >= WHOLE_EVERY_MS ||
    channel.list_failures > 0 ||
    channel.is_unfinished === 1;
  const seen: string[] = [];
  let requests = 0;
  let isComplete = false;
  let hasNews = isWhole;
  try {
    for await (const { videos, isLast } of vodPages(polling.api, ownerId, polling.signal)) {
      requests += 1;
      const { added, changed } = await recordPage(database, channel, videos, clock.now());
      hasNews ||= changed > 0;
      seen.push(...videos.map(({ id }) => id));
      isComplete = isLast;
      if (!isWhole && videos.length > 0 && added === 0) break;
    }
  } catch (error) {
    polling.signal.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    return { requests: requests + 1, hasNews: hasNews && requests > 0, isComplete: false, error };
  }
  await recordListEnd(database, channel, isComplete ? { seen, startedMs } : null);
  return { requests, hasNews, isComplete, error: null };
}

async function recordSuccess(
  { context }: Polling,
  { owner_id: ownerId, next_list_at: claimMs, display_name: displayName, list_failures }: Claimed,
  isComplete: boolean,
): Promise<void> {
  const { database, clock, random } = context.platform;
  const dayMs = (0.9 + jitter(random) / 10) * DAY_MS;
  const nowMs = clock.now();
  const listedAt = isComplete ? sql`${nowMs}` : sql`coalesce(listed_at, ${nowMs})`;
  const isNew = sql`unlisted_since > ${nowMs - UNLISTED_FOR_MS}`;
  const lacksVods = sql`EXISTS (SELECT 1 FROM vods v WHERE v.owner_id = channels.owner_id
    AND v.gone_at IS NULL AND v.missing_lists BETWEEN 1 AND 2)`;
  const never = Number.MAX_SAFE_INTEGER;
  await database.batch([
    sql`UPDATE channels SET unlisted_stream_id = NULL, unlisted_since = NULL
      WHERE owner_id = ${ownerId} AND unlisted_stream_id IS NOT NULL
        AND (EXISTS (SELECT 1 FROM vods v WHERE v.owner_id = channels.owner_id
            AND v.stream_id = unlisted_stream_id)
          OR (stream_id IS NOT unlisted_stream_id AND NOT ${isNew}))`,
    sql`UPDATE channels SET keeps_none_at = NULL
      WHERE owner_id = ${ownerId} AND EXISTS (SELECT 1 FROM vods v WHERE v.kind = 'archive'
        AND v.owner_id = channels.owner_id AND v.first_seen_at >= channels.keeps_none_at)`,
    // The list before said so, too, unless it failed.
    ...(list_failures > 0
      ? []
      : recordKeepsNone(
          { ownerId, displayName, nowMs },
          sql`stream_id = unlisted_stream_id AND NOT ${isNew}`,
        )),
    sql`UPDATE channels SET listed_at = iif(${isComplete ? 1 : 0}, ${nowMs}, listed_at),
        list_failures = 0, trouble = iif(sweep_failures >= ${FAILURES_BEFORE_TROUBLE}, trouble, NULL),
        relist_at = iif(relist_at > ${nowMs}, relist_at, NULL),
        next_list_at = iif(next_list_at = ${claimMs}, max(${nowMs}, min(
          ${listedAt} + ${Math.round(dayMs)},
          iif(relist_at > ${nowMs}, relist_at, ${never}),
          iif(${lacksVods}, ${nowMs + AGAIN_MS}, ${never}),
          iif(stream_id IS NULL, ${never}, ${nowMs + LIVE_AGAIN_MS}),
          CASE WHEN unlisted_stream_id IS NULL THEN ${never}
            WHEN ${isNew} THEN ${nowMs + UNLISTED_AGAIN_MS} ELSE ${nowMs + AGAIN_MS} END
        )), next_list_at)
      WHERE owner_id = ${ownerId}`,
  ]);
}

async function recordListFailure(
  { context }: Polling,
  { owner_id: ownerId, next_list_at: claimMs, list_failures: earlier }: Claimed,
  error: SourceError,
): Promise<void> {
  const { database, clock, random } = context.platform;
  const usualMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(earlier, 10), LAST_RETRY_MS);
  const waitMs = Math.round((error.retryAfterMs ?? usualMs) * (1 + jitter(random) / 4));
  const nowMs = clock.now();
  const unlistedMs = error.retryAfterMs === null ? Math.min(waitMs, UNLISTED_AGAIN_MS) : waitMs;
  const isTold = error instanceof ApplicationRefused || earlier + 1 >= FAILURES_BEFORE_TROUBLE;
  await database.run(sql`
    UPDATE channels SET list_failures = list_failures + 1,
      trouble = iif(${isTold ? 1 : 0}, ${error.message}, trouble),
      next_list_at = iif(next_list_at = ${claimMs}, ${nowMs} + iif(
        unlisted_since > ${nowMs - UNLISTED_FOR_MS}, ${unlistedMs}, ${waitMs}
      ), next_list_at)
    WHERE owner_id = ${ownerId}`);
}

/** 20,000 VODs; channels with 5,000 highlights exist. */
const MAX_PAGES = 200;

/** Twitch sends single empty pages, and pages that repeat others (docs/twitch.md#helix). */
const MAX_BARREN_PAGES = 5;

type VodPage = {
  /** Those that were on no page before, which may be none. */
  readonly videos: readonly HelixVideo[];
  /** Then all pages were read. The list may nevertheless have skipped VODs. */
  readonly isLast: boolean;
};

/**
 * A channel's VODs as its list has them, the newest first.
 * @throws {SourceError} also when the list does not end
 */
export async function* vodPages(
  api: TwitchApi,
  ownerId: TwitchUserId,
  signal: AbortSignal,
): AsyncGenerator<VodPage, void> {
  const seen = new Set<string>();
  const cursors = new Set<string>();
  let after: string | null = null;
  let barrenPages = 0;
  while (cursors.size < MAX_PAGES && barrenPages < MAX_BARREN_PAGES) {
    const { items, cursor } = await api.videosOf(ownerId, after, signal);
    const fresh = new Map(
      items.filter(({ id }) => !seen.has(id)).map((video) => [video.id, video]),
    );
    for (const id of fresh.keys()) seen.add(id);
    barrenPages = fresh.size === 0 ? barrenPages + 1 : 0;
    yield { videos: [...fresh.values()], isLast: cursor === null };
    if (cursor === null) return;
    if (cursors.has(cursor)) break;
    cursors.add(cursor);
    after = cursor;
  }
  throw new SourceError("try_later", "Twitch's list of this channel's VODs does not end.");
}

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
  database: Database,
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
  const [, recorded] = await database.batch([
    storeNames([{ id: ownerId, login, displayName, profileImageUrl: null }], "listed", nowMs),
    sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at, stream_id,
        is_growing, first_seen_at, last_seen_at, next_check_at)
      SELECT value ->> 'id', ${ownerId}, value ->> 'kind', value ->> 'title',
        value ->> 'durationSec', value ->> 'recordedAtMs', value ->> 'streamId',
        value ->> 'isGrowing' AND NOT ${hasSuccessor(sql`value ->> 'recordedAtMs'`, ownerId, streamId)},
        ${nowMs}, ${nowMs}, (SELECT 0 FROM files WHERE vod_id = value ->> 'id' LIMIT 1)
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
  ]);
  const rows = recorded?.rows ?? [];
  return { added: rows.filter((row) => row["is_new"] === 1).length, changed: rows.length };
}

/**
 * Records what follows from the end of a list: earlier VODs and those of earlier streams grow no more, and those
 * that a whole list lacks are missing once more. Lists since `startedMs` may have added others.
 */
async function recordListEnd(
  database: Database,
  { owner_id: ownerId, stream_id: streamId }: Listed,
  whole: { readonly seen: readonly string[]; readonly startedMs: number } | null,
): Promise<void> {
  await database.batch([
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
        ]),
  ]);
}

import * as z from "zod/mini";
import { type TwitchUserId, twitchUserIdSchema } from "#contract/ids.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { jitter } from "#service/jitter.ts";
import { again, type Job, keep, later } from "#service/jobs/jobs.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { HelixVideo } from "#service/twitch/helix-shapes.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import { recordKeepsNone } from "./channel-finding.ts";
import { recordListEnd, recordPage } from "./listed-vods.ts";
import { DAY_MS, faultOf, MINUTE_MS } from "./polling.ts";

/**
 * When the list of a channel's VODs is read. A channel that is not paused has a job for it, which is due
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

const followedRow = z.object({
  owner_id: twitchUserIdSchema,
  display_name: z.string(),
  listed_at: z.nullable(z.number()),
  stream_id: z.nullable(z.string()),
  unlisted_since: z.nullable(z.number()),
  is_unfinished: z.number(),
});
type Followed = z.infer<typeof followedRow>;

/** The channel of the job; null if it is no longer followed. */
export async function findFollowed(database: Database, { key }: Job): Promise<Followed | null> {
  const [row] = await database.all(sql`
    SELECT owner_id, (SELECT display_name FROM users WHERE id = owner_id) AS display_name, listed_at,
      stream_id, unlisted_since, EXISTS (SELECT 1 FROM vods v WHERE v.owner_id = c.owner_id
        AND v.gone_at IS NULL AND (v.missing_lists BETWEEN 1 AND 2 OR v.decision IS NULL)) AS is_unfinished
    FROM channels c WHERE owner_id = ${key} AND paused_at IS NULL`);
  return row === undefined ? null : followedRow.parse(row);
}

type ReadList = {
  /** Also what was on the first pages of a list that failed: it may fail for longer than VODs last. */
  readonly hasNews: boolean;
  readonly isComplete: boolean;
  readonly error: SourceError | null;
};

/** @throws {JobLost} */
export async function readList(
  { platform }: ServiceContext,
  api: TwitchApi,
  job: Job,
  channel: Followed,
  signal: AbortSignal,
): Promise<ReadList> {
  const { clock } = platform;
  const { owner_id: ownerId, listed_at: listedAtMs } = channel;
  const startedMs = clock.now();
  const isWhole =
    listedAtMs === null ||
    Math.abs(startedMs - listedAtMs) >= WHOLE_EVERY_MS ||
    job.attempts > 1 ||
    channel.is_unfinished === 1;
  const write = (statements: readonly Statement[]) => keep(platform, job, statements);
  const seen: string[] = [];
  let isComplete = false;
  let hasNews = false;
  try {
    for await (const { videos, isLast } of vodPages(api, ownerId, signal)) {
      const { added, changed } = await recordPage(write, channel, videos, clock.now());
      hasNews ||= isWhole || changed > 0;
      seen.push(...videos.map(({ id }) => id));
      isComplete = isLast;
      if (!isWhole && videos.length > 0 && added === 0) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    return { hasNews, isComplete: false, error };
  }
  await recordListEnd(write, channel, isComplete ? { seen, startedMs } : null);
  return { hasNews, isComplete, error: null };
}

/** Plans the next list. @throws {JobLost} */
export async function recordSuccess(
  { platform }: ServiceContext,
  job: Job,
  { owner_id: ownerId, display_name: displayName }: Followed,
  isComplete: boolean,
): Promise<void> {
  const { clock, random } = platform;
  const dayMs = (0.9 + jitter(random) / 10) * DAY_MS;
  const nowMs = clock.now();
  const isNew = sql`unlisted_since > ${nowMs - UNLISTED_FOR_MS}`;
  const lacksVods = sql`EXISTS (SELECT 1 FROM vods v WHERE v.owner_id = channels.owner_id
    AND v.gone_at IS NULL AND v.missing_lists BETWEEN 1 AND 2)`;
  const never = Number.MAX_SAFE_INTEGER;
  const dueAt = sql`(SELECT max(${nowMs}, min(
      coalesce(listed_at, ${nowMs}) + ${Math.round(dayMs)},
      coalesce(relist_at, ${never}),
      iif(${lacksVods}, ${nowMs + AGAIN_MS}, ${never}),
      iif(stream_id IS NULL, ${never}, ${nowMs + LIVE_AGAIN_MS}),
      CASE WHEN unlisted_stream_id IS NULL THEN ${never}
        WHEN ${isNew} THEN ${nowMs + UNLISTED_AGAIN_MS} ELSE ${nowMs + AGAIN_MS} END
    )) FROM channels WHERE owner_id = ${ownerId})`;
  await later(platform, job, dueAt, [
    sql`UPDATE channels SET unlisted_stream_id = NULL, unlisted_since = NULL
      WHERE owner_id = ${ownerId} AND unlisted_stream_id IS NOT NULL
        AND (EXISTS (SELECT 1 FROM vods v WHERE v.owner_id = channels.owner_id
            AND v.stream_id = unlisted_stream_id)
          OR (stream_id IS NOT unlisted_stream_id AND NOT ${isNew}))`,
    sql`UPDATE channels SET keeps_none_at = NULL
      WHERE owner_id = ${ownerId} AND EXISTS (SELECT 1 FROM vods v WHERE v.kind = 'archive'
        AND v.owner_id = channels.owner_id AND v.first_seen_at >= channels.keeps_none_at)`,
    // The list before said so, too, unless it failed.
    ...(job.attempts > 1
      ? []
      : recordKeepsNone(
          { ownerId, displayName, nowMs },
          sql`stream_id = unlisted_stream_id AND NOT ${isNew}`,
        )),
    sql`UPDATE channels SET listed_at = iif(${isComplete ? 1 : 0}, ${nowMs}, listed_at),
        relist_at = iif(relist_at > ${nowMs}, relist_at, NULL)
      WHERE owner_id = ${ownerId}`,
  ]);
}

/** @throws {JobLost} */
export async function recordListFailure(
  { platform }: ServiceContext,
  job: Job,
  { unlisted_since: unlistedSinceMs }: Followed,
  error: SourceError,
): Promise<void> {
  const isNew = (unlistedSinceMs ?? 0) > platform.clock.now() - UNLISTED_FOR_MS;
  await again(platform, job, {
    ...faultOf(job, error),
    ...(isNew && error.retryAfterMs === null && { longestDelayMs: UNLISTED_AGAIN_MS }),
  });
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

import * as z from "zod/mini";
import { twitchUserIdSchema, type TwitchUserId } from "#contract/ids.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import { jitter } from "#service/jitter.ts";
import { SourceError } from "#service/source/source-error.ts";
import { ApplicationRefused } from "#service/twitch/app-token.ts";
import { recordKeepsNone } from "./channel-finding.ts";
import { DAY_MS, FAILURES_BEFORE_TROUBLE, MINUTE_MS, type Polling } from "./polling.ts";
import { recordListEnd, recordPage } from "./seen-vods.ts";
import { vodPages } from "./vod-pages.ts";

/**
 * When the list of a channel's VODs is read. It is due (`next_list_at`)
 *
 * - when its channel goes live or offline, and ten minutes later (live-sweep.ts);
 * - after {@link UNLISTED_AGAIN_MS} while the VOD of the running stream is not listed, also if the
 *   list fails, unless Twitch asks to wait. After
 *   {@link UNLISTED_FOR_MS}, the channel probably keeps no VODs: every ten minutes until its end;
 * - once an hour while it is live: a stream may begin another VOD;
 * - ten minutes after it lacked a VOD, until three lists in a row did (presence.ts);
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

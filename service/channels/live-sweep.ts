import { twitchUserIdSchema, type TwitchUserId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { interruptEach } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { HelixStream } from "#service/twitch/helix-shapes.ts";
import { ApplicationRefused } from "#service/twitch/app-token.ts";
import { DAY_MS, FAILURES_BEFORE_TROUBLE, MINUTE_MS, type Polling } from "./polling.ts";

/**
 * Who is live. A channel that is not paused is
 *
 * - offline → live: Twitch lists a stream of it. Also live → live, with another stream.
 * - live → missed: one sweep did not find the stream, which proves nothing.
 * - missed → live: the next one did.
 * - missed → offline: the next one did not either.
 *
 * Going live or offline makes its list of VODs due at once and ten minutes later. An unanswered
 * request changes nothing. Sweeps may overlap.
 */

/** Helix's limit of one call. */
const IDS_AT_ONCE = 100;

/** Two sweeps in a row are about a minute apart. */
const MISSED_AGAIN_MS = 30_000;

/** The VOD of a stream, or the end of it, may be listed some minutes late. */
const RELIST_AFTER_MS = 10 * MINUTE_MS;

/** After such a pause, broadcasts may have come and gone unseen. */
const GAP_MS = 5 * MINUTE_MS;

/** Twitch is down: the rest of the channels would fail, too. */
const MAX_FAILURES = 3;

/** Call every minute. */
export async function sweepStreams({ context, api, signal }: Polling): Promise<void> {
  const { database, clock } = context.platform;
  const rows = await database.all(sql`
    SELECT owner_id FROM channels WHERE paused_at IS NULL ORDER BY owner_id`);
  const ids = rows.map((row) => twitchUserIdSchema.parse(row["owner_id"]));
  let failures = 0;
  for (let from = 0; from < ids.length && failures < MAX_FAILURES; from += IDS_AT_ONCE) {
    const asked = ids.slice(from, from + IDS_AT_ONCE);
    try {
      const live = await api.streams(asked, signal);
      await database.batch(recordStreams(asked, live, clock.now()));
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      failures += 1;
      const unasked = failures < MAX_FAILURES ? asked : ids.slice(from);
      await database.run(recordSweepFailure(unasked, error));
    }
  }
  const nowMs = clock.now();
  await database.batch([
    sql`UPDATE channels SET ${OFFLINE} WHERE paused_at IS NOT NULL AND stream_id IS NOT NULL`,
    ...(failures === 0 ? recordSweep(nowMs) : []),
  ]);
}

function recordSweepFailure(ids: readonly TwitchUserId[], error: SourceError): Statement {
  const isTold = sql`(${error instanceof ApplicationRefused ? 1 : 0}
    OR sweep_failures + 1 >= ${FAILURES_BEFORE_TROUBLE})`;
  return sql`UPDATE channels SET trouble = iif(${isTold}, ${error.message}, trouble),
      sweep_failures = iif(${isTold}, ${FAILURES_BEFORE_TROUBLE}, sweep_failures + 1)
    WHERE owner_id IN ${these(ids)} AND sweep_failures < ${FAILURES_BEFORE_TROUBLE}`;
}

function these(ids: readonly TwitchUserId[]): Statement {
  return sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;
}

const OFFLINE = sql`stream_id = NULL, stream_title = NULL, live_since = NULL,
  stream_missed_at = NULL`;

/** Of `asked`, the channels of `live` are live, and no others. */
export function recordStreams(
  asked: readonly TwitchUserId[],
  live: readonly HelixStream[],
  nowMs: number,
): Statement[] {
  const streams = JSON.stringify(
    live.map(({ id, user_id, title, started_at }) => ({
      id,
      ownerId: user_id,
      title,
      since: typeof started_at === "string" ? Date.parse(started_at) : nowMs,
    })),
  );
  const liveIds = new Set(live.map(({ user_id }) => user_id));
  const relistAtMs = nowMs + RELIST_AFTER_MS;
  const notLive = asked.filter((id) => !liveIds.has(id));
  const hasEnded = sql`owner_id IN ${these(notLive)} AND stream_id IS NOT NULL`;
  return [
    sql`UPDATE channels SET ${OFFLINE}, relist_at = ${relistAtMs}
      WHERE ${hasEnded} AND stream_missed_at <= ${nowMs - MISSED_AGAIN_MS}`,
    sql`UPDATE channels SET stream_missed_at = ${nowMs}
      WHERE ${hasEnded} AND stream_missed_at IS NULL`,
    sql`UPDATE channels SET stream_id = each.value ->> 'id', live_since = each.value ->> 'since',
        unlisted_stream_id = each.value ->> 'id', unlisted_since = ${nowMs},
        relist_at = ${relistAtMs}
      FROM json_each(${streams}) AS each
      WHERE owner_id = each.value ->> 'ownerId' AND stream_id IS NOT each.value ->> 'id'`,
    interruptEach(
      "list",
      sql`SELECT owner_id FROM channels WHERE owner_id IN ${these(asked)} AND relist_at = ${relistAtMs}`,
      nowMs,
    ),
    sql`UPDATE channels SET stream_title = each.value ->> 'title', stream_missed_at = NULL
      FROM json_each(${streams}) AS each
      WHERE owner_id = each.value ->> 'ownerId'
        AND (stream_title IS NOT each.value ->> 'title' OR stream_missed_at IS NOT NULL)`,
    sql`UPDATE channels SET sweep_failures = 0, trouble = NULL
      WHERE owner_id IN ${these(asked)} AND sweep_failures > 0`,
  ];
}

/** All channels were asked: lists are read again if that was not so for some time. */
function recordSweep(nowMs: number): Statement[] {
  const hadGap = sql`(SELECT streams_swept_at FROM deployment)
    NOT BETWEEN ${nowMs - GAP_MS} AND ${nowMs + DAY_MS}`;
  return [
    interruptEach(
      "list",
      sql`SELECT key FROM jobs WHERE kind = 'list' AND due_at > ${nowMs} AND ${hadGap}`,
      nowMs,
    ),
    sql`UPDATE deployment SET streams_swept_at = ${nowMs}`,
  ];
}

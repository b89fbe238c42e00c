import * as z from "zod/mini";
import { twitchVodIdSchema } from "#contract/ids.ts";
import { timeRangeSchema } from "#contract/upload.ts";
import { flagColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import { jitter } from "#service/jitter.ts";
import { SourceError } from "#service/source/source-error.ts";
import { parseGoDuration } from "#service/twitch/describe-video.ts";
import type { HelixVideo } from "#service/twitch/helix-shapes.ts";
import { DAY_MS, MINUTE_MS, type Polling } from "./polling.ts";
import { askPresence, type Presence } from "./presence.ts";
import { DOUBTED_LISTS } from "./seen-vods.ts";

/**
 * What happened at the source to VODs that are stored here, and whether those still exist that
 * lists lack. Each is looked up by its id once a day, 100 a request. It is
 *
 * - cut or muted, if two answers in a row, minutes apart, say so;
 * - gone, as presence.ts decides.
 */

/** Helix's limit of one call. */
const IDS_AT_ONCE = 100;
const REQUESTS_AT_ONCE = 5;

/** Each is a request to the web API, which has no list. */
const PRESENCES_AT_ONCE = 40;

const UNANSWERED_AGAIN_MS = 10 * MINUTE_MS;

const CONFIRM_AFTER_MS = 10 * MINUTE_MS;

/** Rounded durations, and the last segment of a broadcast, which may be listed late. */
const CUT_SEC = 10;

/** Muted ranges are whole segments here, and their times those of the copied stream. */
const MUTED_SLACK_SEC = 30;

const dueRow = z.object({
  vod_id: twitchVodIdSchema,
  missing_lists: z.number(),
  absent_since_at: z.nullable(z.number()),
  change_seen_at: z.nullable(z.number()),
  is_cut: flagColumn,
  is_muted: flagColumn,
  is_growing: flagColumn,
  is_followed: flagColumn,
  duration_sec: z.nullable(z.number()),
  muted_ranges: z.nullable(jsonText(z.array(timeRangeSchema))),
});
type Due = z.infer<typeof dueRow>;

/** What a round writes of a VOD; times are milliseconds since 1970. */
type Checked = {
  readonly id: string;
  readonly nextCheckAt: number;
  readonly absentSinceAt: number | null;
  readonly changeSeenAt: number | null;
  readonly goneAt: number | null;
  readonly cutAt: number | null;
  readonly mutedAt: number | null;
};

/** Condition: it is checked at times. As the index `vods_checks` has it: 3 is DOUBTED_LISTS. */
export const IS_CHECKED = sql`gone_at IS NULL AND (is_stored = 1 OR missing_lists >= 3)`;

/** Call every minute. An unanswered request changes nothing. Rounds may overlap. */
export async function checkVods(polling: Polling): Promise<void> {
  let presences = 0;
  for (let request = 0; request < REQUESTS_AT_ONCE; request += 1) {
    const due = await readDue(polling);
    if (due.length === 0) return;
    const found = await findVideos(polling, due);
    if (found === null) return;
    const checked: Checked[] = [];
    const unlisted: string[] = [];
    for (const vod of due) {
      const video = found.get(vod.vod_id);
      if (video !== undefined) checked.push(compare(polling, vod, video));
      else if (vod.is_followed && vod.missing_lists < DOUBTED_LISTS) unlisted.push(vod.vod_id);
      else if ((presences += 1) <= PRESENCES_AT_ONCE) {
        const presence = await askPresence(polling, vod.vod_id, vod.absent_since_at);
        checked.push(decidePresence(polling, vod, presence));
        // The others would probably wait for nothing, too.
        if (presence.kind === "unanswered") presences = PRESENCES_AT_ONCE;
      }
    }
    await record(polling, checked, unlisted);
    if (due.length < IDS_AT_ONCE || presences > PRESENCES_AT_ONCE) return;
  }
}

/** Times further ahead than any wait were written while the machine's clock was wrong. */
async function readDue({ context }: Polling): Promise<readonly Due[]> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const rows = await database.all(sql`
    SELECT v.vod_id, v.missing_lists, v.absent_since_at, v.change_seen_at, v.is_growing,
      v.cut_at IS NOT NULL AS is_cut, v.muted_at IS NOT NULL AS is_muted,
      EXISTS (SELECT 1 FROM channels c WHERE c.owner_id = v.owner_id AND c.paused_at IS NULL)
        AS is_followed,
      iif(v.is_stored, u.duration_sec, NULL) AS duration_sec,
      iif(v.is_stored, u.muted_ranges, NULL) AS muted_ranges
    FROM (SELECT seq FROM vods WHERE ${IS_CHECKED} AND next_check_at <= ${nowMs}
        UNION ALL SELECT seq FROM vods WHERE ${IS_CHECKED} AND next_check_at > ${nowMs + 2 * DAY_MS}
        LIMIT ${IDS_AT_ONCE}) AS due
      JOIN vods v ON v.seq = due.seq
      LEFT JOIN uploads u ON u.seq = (SELECT max(seq) FROM uploads
        WHERE vod_id = v.vod_id AND status = 'completed')`);
  return rows.map((row) => dueRow.parse(row));
}

async function findVideos(
  { api, context, signal }: Polling,
  due: readonly Due[],
): Promise<ReadonlyMap<string, HelixVideo> | null> {
  try {
    const videos = await api.videos(
      due.map(({ vod_id }) => vod_id),
      signal,
    );
    return new Map(videos.map((video) => [video.id, video]));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    context.log.debug("Stored VODs could not be looked up at Twitch", { error });
    return null;
  }
}

/** Twitch has the VOD: what differs from what is stored? */
function compare(polling: Polling, vod: Due, video: HelixVideo): Checked {
  const nowMs = polling.context.platform.clock.now();
  const isCut =
    !vod.is_cut &&
    !vod.is_growing &&
    vod.duration_sec !== null &&
    (parseGoDuration(video.duration) ?? Infinity) < vod.duration_sec - CUT_SEC;
  const isMuted = !vod.is_muted && hasNewMuting(vod, video);
  const checked = { ...unchanged(vod), nextCheckAt: tomorrow(polling), absentSinceAt: null };
  if (!isCut && !isMuted) return { ...checked, changeSeenAt: null };
  const sinceMs = vod.change_seen_at;
  if (sinceMs === null)
    return { ...checked, changeSeenAt: nowMs, nextCheckAt: nowMs + CONFIRM_AFTER_MS };
  return {
    ...checked,
    changeSeenAt: null,
    cutAt: isCut ? sinceMs : null,
    mutedAt: isMuted ? sinceMs : null,
  };
}

/** A muted segment counts as stored if most of it is in the muted ranges of the copy. */
function hasNewMuting({ muted_ranges: stored }: Due, { muted_segments }: HelixVideo): boolean {
  if (stored === null) return false;
  return (muted_segments ?? []).some(({ offset, duration }) => {
    const [from, to] = [offset - MUTED_SLACK_SEC, offset + duration + MUTED_SLACK_SEC];
    const coveredSec = stored.reduce(
      (sum, { startSec, endSec }) =>
        sum + Math.max(0, Math.min(to, endSec) - Math.max(from, startSec)),
      0,
    );
    return coveredSec < duration / 2;
  });
}

function decidePresence(polling: Polling, vod: Due, presence: Presence): Checked {
  const nowMs = polling.context.platform.clock.now();
  const checked = { ...unchanged(vod), nextCheckAt: tomorrow(polling) };
  if (presence.kind === "present") return { ...checked, absentSinceAt: null };
  if (presence.kind === "gone") return { ...checked, goneAt: presence.sinceMs };
  if (presence.kind === "unanswered")
    return { ...checked, nextCheckAt: nowMs + UNANSWERED_AGAIN_MS };
  const { sinceMs, askAgainInMs } = presence;
  return { ...checked, absentSinceAt: sinceMs, nextCheckAt: nowMs + askAgainInMs };
}

function unchanged(vod: Due): Omit<Checked, "nextCheckAt"> {
  return {
    id: vod.vod_id,
    absentSinceAt: vod.absent_since_at,
    changeSeenAt: vod.change_seen_at,
    goneAt: null,
    cutAt: null,
    mutedAt: null,
  };
}

/** Spread, so that what was stored together is not checked together for ever. */
function tomorrow({ context }: Polling): number {
  const { clock, random } = context.platform;
  return Math.round(clock.now() + DAY_MS * (0.9 + jitter(random) / 10));
}

/** `unlisted`: the API does not know them, but their channel's lists decide. */
async function record(
  polling: Polling,
  checked: readonly Checked[],
  unlisted: readonly string[],
): Promise<void> {
  const { database, clock } = polling.context.platform;
  const nowMs = clock.now();
  const these = sql`(SELECT value FROM json_each(${JSON.stringify(unlisted)}))`;
  await database.batch([
    sql`UPDATE vods SET next_check_at = each.value ->> 'nextCheckAt',
        absent_since_at = each.value ->> 'absentSinceAt',
        change_seen_at = each.value ->> 'changeSeenAt',
        gone_at = coalesce(gone_at, each.value ->> 'goneAt'),
        cut_at = coalesce(cut_at, each.value ->> 'cutAt'),
        muted_at = coalesce(muted_at, each.value ->> 'mutedAt')
      FROM json_each(${JSON.stringify(checked)}) AS each WHERE vod_id = each.value ->> 'id'`,
    sql`UPDATE vods SET next_check_at = ${tomorrow(polling)}
      WHERE vod_id IN ${these}`,
    sql`UPDATE channels SET next_list_at = min(next_list_at, ${nowMs})
      WHERE owner_id IN (SELECT owner_id FROM vods WHERE vod_id IN ${these})`,
  ]);
}

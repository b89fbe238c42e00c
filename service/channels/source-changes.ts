import * as z from "zod/mini";
import { twitchVodIdSchema } from "#contract/ids.ts";
import { timeRangeSchema } from "#contract/upload.ts";
import type { ServiceContext } from "#service/context.ts";
import { flagColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import { jitter } from "#service/jitter.ts";
import { JOB_KINDS } from "#service/jobs/job-kinds.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { interruptEach, type Job, keep } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { NEXT_CHECK } from "#service/storage/upload-vod.ts";
import { createGqlClient } from "#service/twitch/gql-client.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import { parseGoDuration } from "#service/twitch/describe-video.ts";
import type { HelixVideo } from "#service/twitch/helix-shapes.ts";
import { DOUBTED_LISTS } from "./listed-vods.ts";
import { archiveAgain } from "./longer-vods.ts";
import { recordLost } from "./lost-vods.ts";
import { checkJob, DAY_MS, MINUTE_MS, type Polling } from "./polling.ts";
import { askPresence, type Presence, type VodPolling } from "./presence.ts";

/**
 * What happened at the source to VODs that are stored here, and whether those still exist that
 * lists lack. Each is looked up by its id once a day, 100 a request. Of the marks that it has,
 *
 * - `gone` is set as presence.ts decides, and is looked at again after a day, a week and a month;
 * - the others are set, and all are taken back, if two answers in a row, minutes apart, say the same.
 *
 * What became longer is archived again (longer-vods.ts).
 */

/** Helix's limit of one call. */
const IDS_AT_ONCE = 100;

/** Each is a request to the web API, which has no list. */
const PRESENCES_AT_ONCE = 40;

const UNANSWERED_AGAIN_MS = 10 * MINUTE_MS;

const CONFIRM_AFTER_MS = 10 * MINUTE_MS;

/** Rounded durations, and the last segment of a broadcast, which may be listed late. */
const SLACK_SEC = 10;

/** After which age of `gone` it is looked at so rarely. */
const RARER = [
  { afterMs: 4 * DAY_MS, days: 30 },
  { afterMs: DAY_MS / 2, days: 7 },
] as const;

const MARKS = ["gone", "cut", "muted", "longer"] as const;

/** Muted ranges are whole segments here, and their times those of the copied stream. */
const MUTED_SLACK_SEC = 30;

const dueRow = z.object({
  vod_id: twitchVodIdSchema,
  missing_lists: z.number(),
  absent_since_at: z.nullable(z.number()),
  change_seen_at: z.nullable(z.number()),
  change_seen: z.nullable(z.string()),
  marks: jsonText(z.record(z.enum(MARKS), z.nullable(z.number()))),
  is_growing: flagColumn,
  is_followed: flagColumn,
  duration_sec: z.nullable(z.number()),
  stated_duration_sec: z.nullable(z.number()),
  muted_ranges: z.nullable(jsonText(z.array(timeRangeSchema))),
});
type Due = z.infer<typeof dueRow>;

/** Since when each holds; milliseconds since 1970. */
type Marks = Due["marks"];

/** What is written of a VOD; times are milliseconds since 1970. */
type Checked = {
  readonly id: string;
  readonly nextCheckAt: number;
  readonly absentSinceAt: number | null;
  readonly changeSeenAt: number | null;
  readonly changeSeen: string | null;
  readonly marks: Marks;
  /** Its length by the answer that called it longer. */
  readonly longerSec?: number;
};

const IS_CHECKED = sql`next_check_at IS NOT NULL`;

/** Condition on a VOD `s`: it is or was stored, or lists lack it and nobody knows yet whether it is gone. */
const isCheckedAgain = (goneAt: Statement): Statement =>
  sql`(s.is_stored OR s.upload_status = 'completed'
    OR (${goneAt} IS NULL AND s.missing_lists >= ${DOUBTED_LISTS}))`;

/** The one job of the kind. */
export function vodCheckJob(context: ServiceContext, api: TwitchApi): JobHandler {
  const gql = createGqlClient(context);
  return checkJob(
    context,
    (job, signal) => checkVods({ context, api, gql, signal }, job),
    // A time that was written while the clock was wrong is found within a day.
    (nowMs) => sql`max(${nowMs + MINUTE_MS}, min(${NEXT_CHECK}, ${nowMs + DAY_MS}))`,
  );
}

async function checkVods(polling: VodPolling, job: Job): Promise<void> {
  let presences = 0;
  for (let request = 0; request < JOB_KINDS.vodCheck.sliceSteps; request += 1) {
    const due = await readDue(polling);
    if (due.length === 0) return;
    const found = await findVideos(polling, due);
    const checked: Checked[] = [];
    const unlisted: string[] = [];
    for (const vod of due) {
      const video = found.get(vod.vod_id);
      if (video !== undefined) checked.push(compare(polling, vod, video));
      else if (isListedElsewhere(vod)) unlisted.push(vod.vod_id);
      else if ((presences += 1) <= PRESENCES_AT_ONCE) {
        const presence = await askPresence(polling, vod.vod_id, vod.absent_since_at);
        checked.push(decidePresence(polling, vod, presence));
        // The others would probably wait for nothing, too.
        if (presence.kind === "unanswered") presences = PRESENCES_AT_ONCE;
      }
    }
    await record(polling, job, checked, unlisted);
    if (checked.some(({ marks }) => marks.gone !== null)) await recordLost(polling.context);
    for (const { id, longerSec } of checked)
      if (longerSec !== undefined) await archiveAgain(polling.context, id, longerSec);
    if (due.length < IDS_AT_ONCE || presences > PRESENCES_AT_ONCE) return;
  }
}

/** The lists of its channel decide first. */
function isListedElsewhere({ is_followed: isFollowed, missing_lists: lists, marks }: Due): boolean {
  return isFollowed && lists < DOUBTED_LISTS && marks.gone === null;
}

/** Times further ahead than any wait were written while the machine's clock was wrong. */
async function readDue({ context }: Polling): Promise<readonly Due[]> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const rows = await database.all(sql`
    SELECT v.vod_id, v.missing_lists, v.absent_since_at, v.change_seen_at, v.change_seen,
      v.is_growing, json_object('gone', v.gone_at, 'cut', v.cut_at, 'muted', v.muted_at,
        'longer', v.longer_at) AS marks,
      EXISTS (SELECT 1 FROM channels c WHERE c.owner_id = v.owner_id AND c.paused_at IS NULL)
        AS is_followed,
      iif(v.is_stored, u.duration_sec, NULL) AS duration_sec,
      u.stated_duration_sec, iif(v.is_stored, u.muted_ranges, NULL) AS muted_ranges
    FROM (SELECT seq FROM vods WHERE ${IS_CHECKED} AND next_check_at <= ${nowMs}
        UNION ALL SELECT seq FROM vods WHERE ${IS_CHECKED} AND next_check_at > ${nowMs + 2 * DAY_MS}
          AND (gone_at IS NULL OR next_check_at > ${nowMs + 31 * DAY_MS})
        LIMIT ${IDS_AT_ONCE}) AS due
      JOIN vod_states v ON v.seq = due.seq
      LEFT JOIN uploads u ON u.seq = (SELECT max(seq) FROM uploads
        WHERE vod_id = v.vod_id AND status = 'completed')`);
  return rows.map((row) => dueRow.parse(row));
}

async function findVideos(
  { api, signal }: Polling,
  due: readonly Due[],
): Promise<ReadonlyMap<string, HelixVideo>> {
  const videos = await api.videos(
    due.map(({ vod_id }) => vod_id),
    signal,
  );
  return new Map(videos.map((video) => [video.id, video]));
}

/** Twitch has the VOD: what differs from what is stored? What cannot be compared stays. */
function compare(polling: Polling, vod: Due, video: HelixVideo): Checked {
  const { duration_sec: storedSec, stated_duration_sec: statedSec } = vod;
  const durationSec = parseGoDuration(video.duration);
  const seen = new Set(MARKS.filter((mark) => mark !== "gone" && vod.marks[mark] !== null));
  const say = (mark: (typeof MARKS)[number], holds: boolean) =>
    holds ? seen.add(mark) : seen.delete(mark);
  if (storedSec !== null && durationSec !== null && !vod.is_growing) {
    say("cut", durationSec < storedSec - SLACK_SEC);
    say("longer", durationSec > Math.max(storedSec, statedSec ?? 0) + SLACK_SEC);
  }
  if (vod.muted_ranges !== null) say("muted", hasNewMuting(vod.muted_ranges, video));
  const checked = decideMarks(polling, vod, seen);
  const isNew = checked.marks.longer !== null && vod.marks.longer === null;
  return isNew && durationSec !== null ? { ...checked, longerSec: durationSec } : checked;
}

/** Twitch has the VOD, and an answer shows it so: the second one that shows the same decides. */
function decideMarks(polling: Polling, vod: Due, seen: ReadonlySet<string>): Checked {
  const nowMs = polling.context.platform.clock.now();
  const asSeen = MARKS.filter((mark) => seen.has(mark)).join(" ");
  const asMarked = MARKS.filter((mark) => vod.marks[mark] !== null).join(" ");
  const there = { ...unchanged(vod), absentSinceAt: null };
  const decided = { ...there, changeSeenAt: null, changeSeen: null };
  if (asSeen === asMarked) return { ...decided, nextCheckAt: nextCheckMs(polling, vod.marks) };
  if (vod.change_seen_at === null || vod.change_seen !== asSeen)
    return {
      ...there,
      changeSeenAt: nowMs,
      changeSeen: asSeen,
      nextCheckAt: nowMs + CONFIRM_AFTER_MS,
    };
  const since = (mark: (typeof MARKS)[number]) =>
    seen.has(mark) ? (vod.marks[mark] ?? vod.change_seen_at) : null;
  const marks = {
    gone: since("gone"),
    cut: since("cut"),
    muted: since("muted"),
    longer: since("longer"),
  };
  return { ...decided, marks, nextCheckAt: nextCheckMs(polling, marks) };
}

/** A muted segment counts as stored if most of it is in the muted ranges of the copy. */
function hasNewMuting(
  stored: NonNullable<Due["muted_ranges"]>,
  { muted_segments }: HelixVideo,
): boolean {
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
  const others = MARKS.filter((mark) => mark !== "gone" && vod.marks[mark] !== null);
  if (presence.kind === "present") return decideMarks(polling, vod, new Set(others));
  if (presence.kind === "gone") {
    const marks = { ...vod.marks, gone: vod.marks.gone ?? presence.sinceMs };
    const nextCheckAt = nextCheckMs(polling, marks);
    return { ...unchanged(vod), changeSeenAt: null, changeSeen: null, marks, nextCheckAt };
  }
  if (presence.kind === "unanswered")
    return { ...unchanged(vod), nextCheckAt: nowMs + UNANSWERED_AGAIN_MS };
  const { sinceMs, askAgainInMs } = presence;
  return { ...unchanged(vod), absentSinceAt: sinceMs, nextCheckAt: nowMs + askAgainInMs };
}

function unchanged(vod: Due): Omit<Checked, "nextCheckAt"> {
  return {
    id: vod.vod_id,
    absentSinceAt: vod.absent_since_at,
    changeSeenAt: vod.change_seen_at,
    changeSeen: vod.change_seen,
    marks: vod.marks,
  };
}

/** Spread, so that what was stored together is not checked together for ever. */
function nextCheckMs({ context }: Polling, { gone }: Pick<Marks, "gone">): number {
  const { clock, random } = context.platform;
  const nowMs = clock.now();
  const ageMs = gone === null ? 0 : nowMs - gone;
  const days = RARER.find(({ afterMs }) => ageMs >= afterMs)?.days ?? 1;
  return Math.round(nowMs + days * DAY_MS * (0.9 + jitter(random) / 10));
}

/** `unlisted`: the API does not know them, but their channel's lists decide. */
async function record(
  polling: Polling,
  job: Job,
  checked: readonly Checked[],
  unlisted: readonly string[],
): Promise<void> {
  const { platform } = polling.context;
  const nowMs = platform.clock.now();
  const these = sql`(SELECT value FROM json_each(${JSON.stringify(unlisted)}))`;
  await keep(platform, job, [
    sql`UPDATE vods SET next_check_at = (SELECT each.value ->> 'nextCheckAt' FROM vod_states s
          WHERE s.seq = vods.seq AND ${isCheckedAgain(sql`each.value ->> '$.marks.gone'`)}),
        absent_since_at = each.value ->> 'absentSinceAt',
        change_seen_at = each.value ->> 'changeSeenAt', change_seen = each.value ->> 'changeSeen',
        gone_at = each.value ->> '$.marks.gone', cut_at = each.value ->> '$.marks.cut',
        muted_at = each.value ->> '$.marks.muted', longer_at = each.value ->> '$.marks.longer'
      FROM json_each(${JSON.stringify(checked)}) AS each WHERE vod_id = each.value ->> 'id'`,
    sql`UPDATE vods SET next_check_at = ${nextCheckMs(polling, { gone: null })}
      WHERE vod_id IN ${these}`,
    interruptEach("list", sql`SELECT owner_id FROM vods WHERE vod_id IN ${these}`, nowMs),
  ]);
}

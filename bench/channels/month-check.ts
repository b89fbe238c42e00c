import { sql } from "#service/db/sql.ts";
import type { Database, Row, SqlValue } from "#service/ports/database.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, type planMonth, type PlannedVod } from "./month-plan.ts";

const MAX_REQUESTS_A_MINUTE = 300;
const QUEUED_WITHIN_MS = 2 * MINUTE_MS;
/** After an outage or a restart, all channels are read again within the budget. */
const RECOVERY_MS = 10 * MINUTE_MS;
/** A VOD that is listed for less than this may be missed: highlights cause no event. */
const SEEN_WITHIN_MS = 26 * HOUR_MS;

/** Retention runs every hour, once the store was scanned. */
const RETAINED_WITHIN_MS = 4 * HOUR_MS;
const TRASH_MS = 14 * DAY_MS;
/** Places in GROUPS. */
const [TAKES_ALL_KINDS, TAKES_LONG_ONES, KEEPS_ONE] = [1, 2, 3];

/** Counts the requests to Helix in each minute that begins with one. */
export function createRequestGauge() {
  let sentAt: number[] = [];
  let first = 0;
  let most = 0;
  let total = 0;
  return {
    add(nowMs: number): void {
      sentAt.push(nowMs);
      total += 1;
      while ((sentAt[first] ?? nowMs) <= nowMs - MINUTE_MS) first += 1;
      most = Math.max(most, sentAt.length - first);
    },
    reset(): void {
      [sentAt, first, most, total] = [[], 0, 0, 0];
    },
    numbers: () => ({ requests: total, mostRequestsInAMinute: most }),
    problems: () =>
      most > MAX_REQUESTS_A_MINUTE ? [`${most} requests were sent within a minute`] : [],
  };
}

/** Compares what is stored with what was planned, without the service's own judgement. */
export async function checkMonth(
  database: Database,
  plan: ReturnType<typeof planMonth>,
  nowMs: number,
  copying: Copying,
) {
  const problems: string[] = [];
  const stored: { vod: PlannedVod; upload: Row; name: string }[] = [];
  const numbers = { planned: 0, wanted: 0, stored: 0, lost: 0, waiting: 0, slowestQueuedSec: 0 };
  const known: Known[] = [];
  const seen = mapBy(await database.all(sql`SELECT * FROM vods`), "vod_id");
  const uploads = mapBy(await database.all(sql`SELECT * FROM uploads`), "vod_id");

  function isDisturbed(atMs: number, channelId: string): number | null {
    const found = plan.disturbances.find(
      (each) =>
        (each.channelId ?? channelId) === channelId &&
        each.fromMs - MINUTE_MS <= atMs &&
        atMs < each.toMs + RECOVERY_MS,
    );
    return found === undefined ? null : found.toMs + RECOVERY_MS;
  }

  /** When nothing keeps the service from seeing the VOD in the list any more. */
  function visibleAtMs(vod: PlannedVod): number {
    let atMs = vod.isListedAtMs;
    for (let endsMs = isDisturbed(atMs, vod.channel.id); endsMs !== null;) {
      atMs = endsMs;
      endsMs = isDisturbed(atMs, vod.channel.id);
    }
    return atMs;
  }

  for (const vod of plan.vods) {
    if (vod.isListedAtMs > nowMs - HOUR_MS) continue;
    numbers.planned += 1;
    const name = `${vod.kind} ${vod.vodId} of ${vod.channel.login}`;
    const [row] = seen.get(vod.vodId ?? "") ?? [];
    const starts = uploads.get(vod.vodId ?? "") ?? [];
    const [upload] = starts;
    if (starts.length > 1) problems.push(`${name} was started ${starts.length} times`);
    if (isSet(row?.gone_at) && vod.goneAtMs > nowMs) problems.push(`${name} is not gone`);
    if (isSet(row?.lost_at) && upload?.status === "completed")
      problems.push(`${name} is stored, not lost`);
    if (!isWanted(vod)) {
      if (starts.length > 0) problems.push(`${name} was archived against the rule`);
      continue;
    }
    // The rule leaves out what its retention would remove at once.
    const hasNewer = plan.vods.some(
      (each) => each.channel === vod.channel && each.startsAtMs > vod.startsAtMs && isWanted(each),
    );
    if (row?.reason === "retention" && vod.channel.group === KEEPS_ONE && hasNewer) continue;
    numbers.wanted += 1;
    if (upload?.status === "completed") {
      numbers.stored += 1;
      stored.push({ vod, upload, name });
      if (Number(upload.completed_at) > vod.goneAtMs)
        problems.push(`${name} was stored after it was gone`);
    } else if (vod.goneAtMs > nowMs) {
      numbers.waiting += 1;
      const isNew = nowMs - vod.isListedAtMs < SEEN_WITHIN_MS;
      if (upload === undefined && (row?.waits_for ?? null) === null && !isNew)
        problems.push(`${name} is neither started nor named`);
    } else {
      numbers.lost += 1;
      const reason = upload?.error_message ?? upload?.status ?? row?.waits_for;
      const isKnown =
        nowMs - vod.goneAtMs > 4 * DAY_MS && vod.goneAtMs - vod.isListedAtMs > SEEN_WITHIN_MS;
      if (isKnown && !(isSet(row?.lost_at) && isSet(reason)))
        problems.push(`${name} was lost without a word`);
    }
    const visibleMs = visibleAtMs(vod);
    known.push({ vod, fromMs: Math.max(visibleMs, vod.startsAtMs + vod.durationMs) });
    const isLive = visibleMs + QUEUED_WITHIN_MS < vod.startsAtMs + vod.durationMs;
    if (vod.isBroadcast && isLive && vod.channel.group !== TAKES_LONG_ONES) {
      const queuedAfterMs = Number(upload?.created_at ?? Infinity) - visibleMs;
      numbers.slowestQueuedSec = Math.max(numbers.slowestQueuedSec, queuedAfterMs / 1_000);
      if (queuedAfterMs > QUEUED_WITHIN_MS)
        problems.push(`${name} was queued after ${queuedAfterMs / 1_000} s`);
    }
  }
  problems.push(...(await checkRetention(database, stored, nowMs)));
  const lostAtBest = lossesAtBest(known, copying, nowMs);
  if (numbers.lost > lostAtBest + Math.max(2, lostAtBest / 10))
    problems.push(`${numbers.lost} were lost, and ${lostAtBest} in the best order`);
  return { problems, numbers: { ...numbers, lostAtBest } };
}

/** How uploads are copied: `slots` at the same time, each so many times as fast as it plays. */
type Copying = { readonly slots: number; readonly speed: number };

/** A wanted VOD, and from when it can be copied whole. */
type Known = { readonly vod: PlannedVod; readonly fromMs: number };

/**
 * How many VODs are lost if those whose deletion by age is next are copied first. Nobody can know
 * what is deleted by hand.
 */
function lossesAtBest(known: readonly Known[], { slots, speed }: Copying, endMs: number): number {
  const byRelease = known.toSorted((one, other) => one.fromMs - other.fromMs);
  const deadlineOf = ({ vod }: Known): number =>
    vod.kind === "archive" ? vod.startsAtMs + vod.channel.keepsDays * DAY_MS : Infinity;
  const freeAtMs = Array<number>(slots).fill(0);
  const waiting: Known[] = [];
  let lost = 0;
  let nowMs = 0;
  for (;;) {
    freeAtMs.sort((one, other) => one - other);
    if (waiting.length === 0 && byRelease.length === 0) return lost;
    const [slotMs = 0] = freeAtMs;
    // A slot that was idle does not begin before now.
    nowMs = Math.max(nowMs, slotMs, waiting.length > 0 ? 0 : (byRelease[0]?.fromMs ?? 0));
    while (byRelease[0] !== undefined && byRelease[0].fromMs <= nowMs)
      waiting.push(...byRelease.splice(0, 1));
    waiting.sort((one, other) => deadlineOf(one) - deadlineOf(other));
    const [next] = waiting.splice(0, 1);
    if (next === undefined) continue;
    const readyMs = nowMs + next.vod.durationMs / speed;
    if (readyMs < next.vod.goneAtMs) freeAtMs[0] = readyMs;
    else if (next.vod.goneAtMs <= endMs) lost += 1;
  }
}

/** What the rules of GROUPS say, for VODs that have their final length. */
function isWanted({ channel, kind, title, durationMs }: PlannedVod): boolean {
  const takesKind = kind === "archive" || channel.group === TAKES_ALL_KINDS;
  const isLongEnough = channel.group !== TAKES_LONG_ONES || durationMs >= HOUR_MS;
  return takesKind && isLongEnough && !/rerun/i.test(title);
}

/** Of channels that keep one, all files but the newest are in the trash or deleted, and no others. */
async function checkRetention(
  database: Database,
  stored: readonly { readonly vod: PlannedVod; readonly upload: Row; readonly name: string }[],
  nowMs: number,
): Promise<readonly string[]> {
  const files = mapBy(await database.all(sql`SELECT * FROM files`), "upload_id");
  return stored.flatMap(({ vod, upload, name }) => {
    const [file] = files.get(String(upload.id)) ?? [];
    const newer = stored.filter(
      (each) => each.vod.channel === vod.channel && each.vod.startsAtMs > vod.startsAtMs,
    );
    const isDue = (each: Row): boolean => Number(each.completed_at) < nowMs - RETAINED_WITHIN_MS;
    const isExcess = vod.channel.group === KEEPS_ONE && newer.length > 0;
    const mustGo = isExcess && isDue(upload) && newer.some((each) => isDue(each.upload));
    const isInTrash = file === undefined || file.trashed_at !== null;
    if (mustGo && !isInTrash) return [`${name} is not in the trash`];
    if (!isExcess && isInTrash) return [`${name} was removed against the rule`];
    if (file === undefined && Number(upload.completed_at) > nowMs - TRASH_MS)
      return [`${name} was deleted at once`];
    return [];
  });
}

function isSet(value: SqlValue | undefined): boolean {
  return value !== null && value !== undefined;
}

function mapBy(rows: readonly Row[], column: string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = String(row[column]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/**
 * From when the source may delete a VOD.
 *
 * Twitch keeps past broadcasts for 7 days, those of affiliates for 14, and those of partners, and of
 * viewers who pay for Prime or Turbo, for 60 (help.twitch.tv, "Video on Demand"); it may change that,
 * and a broadcaster can pay without being a partner. So the period is decided in this order:
 *
 * 1. An administrator's own figure holds.
 * 2. Else it begins as that of the kind of broadcaster.
 * 3. If past broadcasts vanished younger than that, it becomes the age at which they did, in whole days: at least
 *    two on different days, whose ages are within a day of each other. Two that vanish together were
 *    deleted by hand, and one proves nothing.
 * 4. If one is still there more than a day after the period, it becomes the next longer of these
 *    periods. What is there disproves what vanished earlier.
 *
 * One that has outlived all of these periods is an exception: it says nothing about the others, and
 * nobody knows when it goes, unless an administrator says so.
 *
 * Highlights and uploads have no period, but Twitch deletes any of them while a channel has more than
 * 100 hours (docs/twitch.md#following-channels).
 */

/** What was seen of one past broadcast. */
export type Sighting = {
  readonly recordedAtMs: number;
  readonly lastSeenAtMs: number;
  /** Since when the source no longer has it; null while it has. */
  readonly goneAtMs: number | null;
};

export type PeriodInput = {
  readonly ownDays: number | null;
  /** Helix's: empty, "affiliate" or "partner". */
  readonly broadcasterType: string;
  readonly sightings: readonly Sighting[];
};

const DAY_MS = 86_400_000;
const USUAL_DAYS = [7, 14, 60] as const;
/** Twitch deletes within hours after the period, and a list is read once a day. */
const TOLERANCE_DAYS = 1;
/** One that vanishes on time was last seen up to two days before, if one list failed (seen-vods.ts). */
const EARLY_DAYS = 2;
/** Less than the day between two lists, whose times vary. */
const APART_MS = DAY_MS / 2;

/** A past broadcast that was seen older than this has outlived all periods. */
export const OUTLIVED_MS = (USUAL_DAYS[2] + TOLERANCE_DAYS) * DAY_MS;

/** From so many hours on, highlights and uploads are in danger: a list may lack some. */
export const FULL_SEC = 90 * 3_600;

/** How many days the source keeps past broadcasts. */
export function keptDays({ ownDays, broadcasterType, sightings: all }: PeriodInput): number {
  if (ownDays !== null) return ownDays;
  const sightings = all.filter(
    ({ recordedAtMs, lastSeenAtMs }) => lastSeenAtMs - recordedAtMs <= OUTLIVED_MS,
  );
  const usual = usualDays(broadcasterType);
  const days = vanishingAge(sightings, usual) ?? usual;
  const oldest = Math.max(
    0,
    ...sightings
      .filter(({ goneAtMs }) => goneAtMs === null)
      .map(({ recordedAtMs, lastSeenAtMs }) => inDays(lastSeenAtMs - recordedAtMs)),
  );
  if (oldest <= days + TOLERANCE_DAYS) return days;
  return USUAL_DAYS.find((each) => each > days && oldest <= each + TOLERANCE_DAYS) ?? days;
}

function usualDays(broadcasterType: string): number {
  if (broadcasterType === "partner") return 60;
  return broadcasterType === "affiliate" ? 14 : 7;
}

/**
 * The lowest age at which two vanished on different days; null if none did early. A VOD was still
 * there at the age at which it was last seen, so of those that vanished at one age the last seen
 * counts; that it is gone is found out days later.
 */
function vanishingAge(sightings: readonly Sighting[], usual: number): number | null {
  const vanished = sightings
    .flatMap(({ recordedAtMs, lastSeenAtMs, goneAtMs }) =>
      goneAtMs === null ? [] : [{ age: inDays(lastSeenAtMs - recordedAtMs), goneAtMs }],
    )
    .filter(({ age }) => age < usual - EARLY_DAYS)
    .toSorted((left, right) => left.age - right.age);
  for (const { age, goneAtMs } of vanished) {
    const alike = vanished.filter((other) => Math.abs(other.age - age) <= TOLERANCE_DAYS);
    if (alike.some((other) => Math.abs(other.goneAtMs - goneAtMs) >= APART_MS))
      return Math.max(...alike.map((other) => Math.ceil(other.age)));
  }
  return null;
}

function inDays(ms: number): number {
  return ms / DAY_MS;
}

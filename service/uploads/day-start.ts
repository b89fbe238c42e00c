const HOUR_MS = 3_600_000;

/**
 * When today began for the person who looks: midnight in their time zone, at most 25 hours ago, so
 * that the answer costs no more than a day's rows. In UTC if they do not say.
 */
export function dayStartMs(dayStart: string | undefined, nowMs: number): number {
  return dayStart === undefined
    ? nowMs - (nowMs % (24 * HOUR_MS))
    : Math.max(Date.parse(dayStart), nowMs - 25 * HOUR_MS);
}

const DAY_MS = 86_400_000;

/**
 * 03:00 UTC, as milliseconds after midnight. A snapshot takes seconds and blocks nothing, so that any
 * hour serves; this one is the night of those who archive in Europe.
 */
const BACKUP_AT_MS = 3 * 3_600_000;

/** The last time, up to now, at which a backup was due. */
export function lastDueMs(nowMs: number): number {
  return Math.floor((nowMs - BACKUP_AT_MS) / DAY_MS) * DAY_MS + BACKUP_AT_MS;
}

/**
 * When the next one is due; now or before if it already is. A backup from the future was made while the
 * clock was wrong.
 */
export function nextDueMs(newestMs: number | null, nowMs: number): number {
  const lastMs = lastDueMs(nowMs);
  const isMade = newestMs !== null && newestMs >= lastMs && newestMs <= nowMs + DAY_MS;
  return isMade ? lastMs + DAY_MS : lastMs;
}

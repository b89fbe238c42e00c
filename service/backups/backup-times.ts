const DAY_MS = 86_400_000;

/** The last time, up to now, at which a backup was due. `backupAtMs`: after midnight, UTC. */
export function lastDueMs(nowMs: number, backupAtMs: number): number {
  return Math.floor((nowMs - backupAtMs) / DAY_MS) * DAY_MS + backupAtMs;
}

/**
 * When the next one is due; now or before if it already is. A backup from the future was made while the
 * clock was wrong.
 */
export function nextDueMs(newestMs: number | null, nowMs: number, backupAtMs: number): number {
  const lastMs = lastDueMs(nowMs, backupAtMs);
  const isMade = newestMs !== null && newestMs >= lastMs && newestMs <= nowMs + DAY_MS;
  return isMade ? lastMs + DAY_MS : lastMs;
}

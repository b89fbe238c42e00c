/** One missed poll may be chance; after three, the data is out of date. */
const MISSED_POLLS = 3;

export function isStale(updatedAtMs: number, intervalMs: number | false, nowMs: number): boolean {
  return intervalMs !== false && nowMs - updatedAtMs > MISSED_POLLS * intervalMs;
}

/** One missed poll may be bad luck; after three, what is shown is not the present. */
const MISSED_POLLS = 3;

export function isStale(updatedAtMs: number, intervalMs: number | false, nowMs: number): boolean {
  return intervalMs !== false && nowMs - updatedAtMs > MISSED_POLLS * intervalMs;
}

/** A change below this share of the older average does not count as a trend. */
const NOTICEABLE_SHARE = 0.05;

/** Below a tenth of a cent per day, percentages are meaningless. */
const NOTICEABLE_USD = 0.001;

const RECENT_DAYS = 3;

/**
 * The trend of the daily cost: the average of the last three whole days against that of the days
 * before them. Days are given oldest first. Unknown until there are three of each.
 */
export function costDirection(
  wholeDaysUsd: readonly number[],
): "increasing" | "decreasing" | "stable" | "unknown" {
  const older = wholeDaysUsd.slice(0, -RECENT_DAYS);
  if (older.length < RECENT_DAYS) return "unknown";
  const before = average(older);
  const change = average(wholeDaysUsd.slice(-RECENT_DAYS)) - before;
  if (Math.abs(change) < Math.max(NOTICEABLE_USD, before * NOTICEABLE_SHARE)) return "stable";
  return change > 0 ? "increasing" : "decreasing";
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

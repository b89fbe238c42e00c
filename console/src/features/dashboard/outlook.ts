import type { DashboardStats } from "#contract/dashboard.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatPlural } from "#console/lib/format.ts";

const WEEK_DAYS = 7;

/** Beyond this, a week's rate says nothing. */
const FAR_DAYS = 2 * 365;

/** How long the disk lasts at the rate of the last week at most; for a bucket, how fast it grows. */
export function storageOutlook({
  free,
  bytesPerDay,
}: NonNullable<DashboardStats["storage"]>): string | null {
  const space = free === null ? null : `${formatBytes(free)} free`;
  if (bytesPerDay === null) return space;
  if (bytesPerDay <= 0) return space ?? "Storage does not grow";
  if (free === null) return `Storage grows by ${formatBytes(bytesPerDay * WEEK_DAYS)} a week`;
  const daysLeft = Math.floor(free / bytesPerDay);
  if (daysLeft > FAR_DAYS) return `${space}, enough for years at this week's rate`;
  const left = daysLeft === 0 ? "less than a day" : formatPlural(daysLeft, "day");
  return `${space}, ${left} left at this week's rate`;
}

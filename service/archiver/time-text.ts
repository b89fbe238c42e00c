import type { TimeRange } from "#contract/upload.ts";

/** Further ranges are only counted, to keep the message readable. */
const MAX_LISTED = 10;

/** "00:12:30-00:12:50 and 01:00:00-01:00:10" */
export function formatTimeRanges(ranges: readonly TimeRange[]): string {
  const listed = ranges
    .slice(0, MAX_LISTED)
    .map(({ startSec, endSec }) => `${clockText(startSec)}-${clockText(endSec)}`);
  const more = ranges.length - listed.length;
  if (more > 0) listed.push(`${more} more ${more === 1 ? "stretch" : "stretches"}`);
  const last = listed.pop() ?? "";
  return listed.length === 0 ? last : `${listed.join(", ")} and ${last}`;
}

function clockText(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

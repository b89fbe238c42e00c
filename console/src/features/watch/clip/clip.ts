import type { TimeRange } from "#contract/upload.ts";

const DEFAULT_LENGTH_SEC = 30;

/** The clip with one end moved; without one, what extends from that end within the video. */
export function clipBetween(
  clip: TimeRange | null,
  end: Partial<TimeRange>,
  durationSec: number,
): TimeRange {
  if (clip !== null) return { ...clip, ...end };
  const { endSec = Math.min(durationSec, (end.startSec ?? 0) + DEFAULT_LENGTH_SEC) } = end;
  const { startSec = endSec - DEFAULT_LENGTH_SEC } = end;
  return { startSec: Math.max(0, Math.min(startSec, endSec - 1)), endSec };
}

/** Why the clip can't be saved, or undefined. */
export function problemOf({ startSec, endSec }: TimeRange, durationSec: number) {
  if (startSec >= durationSec) return "The start is after the end of the video.";
  return endSec <= startSec ? "The end must be after the start." : undefined;
}

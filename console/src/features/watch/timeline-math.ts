import type { Chapter } from "#contract/files.ts";
import type { TimeRange } from "#contract/upload.ts";

const DEFAULT_CLIP_SEC = 30;

/** The position of a time in percent of the whole. */
export function percentOf(sec: number, durationSec: number): number {
  return durationSec > 0 ? Math.min(100, Math.max(0, (sec / durationSec) * 100)) : 0;
}

export function isWithin(ranges: readonly TimeRange[], sec: number): boolean {
  return afterRange(ranges, sec) !== sec;
}

/** The time itself, or the end of the range that holds it. */
export function afterRange(ranges: readonly TimeRange[], sec: number): number {
  return ranges.find(({ startSec, endSec }) => startSec <= sec && sec < endSec)?.endSec ?? sec;
}

export function chapterAt(chapters: readonly Chapter[], sec: number): Chapter | undefined {
  return chapters.findLast(({ startSec }) => startSec <= sec);
}

/** The clip with one end moved; without one, what extends from that end within the video. */
export function clipBetween(
  clip: TimeRange | null,
  end: Partial<TimeRange>,
  durationSec: number,
): TimeRange {
  if (clip !== null) return { ...clip, ...end };
  const { endSec = Math.min(durationSec, (end.startSec ?? 0) + DEFAULT_CLIP_SEC) } = end;
  const { startSec = endSec - DEFAULT_CLIP_SEC } = end;
  return { startSec: Math.max(0, Math.min(startSec, endSec - 1)), endSec };
}

/** Why the clip can't be saved, or undefined. */
export function clipProblemOf({ startSec, endSec }: TimeRange, durationSec: number) {
  if (startSec >= durationSec) return "The start is after the end of the video.";
  return endSec <= startSec ? "The end must be after the start." : undefined;
}

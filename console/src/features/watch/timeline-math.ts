import type { Chapter } from "#contract/files.ts";
import type { TimeRange } from "#contract/upload.ts";

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

import type { Chapter } from "#contract/files.ts";
import type { Storyboard } from "#contract/pictures.ts";
import type { TimeRange } from "#contract/upload.ts";

/** The position of a time in percent of the whole. */
export function percentOf(sec: number, durationSec: number): number {
  return durationSec > 0 ? Math.min(100, Math.max(0, (sec / durationSec) * 100)) : 0;
}

/** The storyboard's frame that shows this time; its sheet, column and row count from 0. */
export function frameAt({ intervalSec, frames, columns, rows }: Storyboard, sec: number) {
  const frame = Math.min(frames - 1, Math.max(0, Math.floor(sec / intervalSec)));
  const cell = frame % (columns * rows);
  return {
    sheet: Math.floor(frame / (columns * rows)),
    column: cell % columns,
    row: Math.floor(cell / columns),
  };
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

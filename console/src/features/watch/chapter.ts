import type { Chapter } from "#contract/files.ts";

export function chapterAt(chapters: readonly Chapter[], sec: number): Chapter | undefined {
  return chapters.findLast(({ startSec }) => startSec <= sec);
}

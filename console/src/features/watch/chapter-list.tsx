import type { Chapter } from "#contract/files.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import layout from "#console/ui/layout.module.css";
import { chapterAt } from "./timeline-math.ts";
import styles from "./watch.module.css";
import { formatClock } from "./watch-time.ts";

/** The chapters as a list; each leads to its start. */
export function ChapterList({
  chapters,
  nowSec,
  onSeek,
}: {
  readonly chapters: readonly Chapter[];
  readonly nowSec: number;
  readonly onSeek: (sec: number) => void;
}) {
  const current = chapterAt(chapters, nowSec);
  return (
    <ol>
      {chapters.map((chapter) => (
        <li key={chapter.startSec}>
          <button
            type="button"
            className={classNames(layout.row, layout.gap3, styles.choice)}
            aria-current={chapter === current || undefined}
            onClick={() => onSeek(chapter.startSec)}
          >
            <span className={classNames(layout.small, layout.soft, styles.at)}>
              {formatClock(chapter.startSec)}
            </span>
            {visibleText(chapter.title)}
          </button>
        </li>
      ))}
    </ol>
  );
}

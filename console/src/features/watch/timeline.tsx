import { useId, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import type { Chapter } from "#contract/files.ts";
import type { Storyboard } from "#contract/pictures.ts";
import type { TimeRange } from "#contract/upload.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { chapterAt } from "./chapter.ts";
import { StoryboardFrame } from "./storyboard-frame.tsx";
import { isWithin, percentOf } from "./timeline-math.ts";
import styles from "./timeline.module.css";
import { formatClock, speakTime } from "./watch-time.ts";

const STEP_SEC = 5;
const PAGE_SEC = 60;

/** What the timeline tells about a video. */
export type TimelineContent = {
  readonly chapters: readonly Chapter[];
  /** Ranges without sound, and without anything. */
  readonly muted: readonly TimeRange[];
  readonly missing: readonly TimeRange[];
  /** What is being cut out; null if nothing is. */
  readonly clip: TimeRange | null;
};

/** A slider over the video's time, with its chapters and gaps, and a preview of where one points. */
export function Timeline({
  nowSec,
  durationSec,
  bufferedSec,
  content,
  storyboard,
  activity,
  onPreview,
  onSeek,
}: {
  readonly nowSec: number;
  readonly durationSec: number;
  /** The end of what is loaded from here on. */
  readonly bufferedSec: number;
  readonly content: TimelineContent;
  /** Undefined without one, or until it is loaded. */
  readonly storyboard: Storyboard | undefined;
  /** Drawn above the bar on the same scale, e.g. a histogram of the chat. */
  readonly activity?: ReactNode;
  /** Called when a preview opens. */
  readonly onPreview: () => void;
  readonly onSeek: (sec: number) => void;
}) {
  const [pointedSec, setPointedSec] = useState<number | null>(null);
  const [focused, setFocused] = useState(false);
  const previewSec = pointedSec ?? (focused ? nowSec : null);
  const id = useId();
  const partOf = ({ startSec, endSec }: TimeRange) => ({
    left: `${percentOf(startSec, durationSec)}%`,
    width: `${percentOf(endSec - startSec, durationSec)}%`,
  });

  function point(event: PointerEvent<HTMLElement>) {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    if (pointedSec === null) onPreview();
    setPointedSec(share * durationSec);
  }
  function preview() {
    onPreview();
    setFocused(true);
  }
  function handleKey(event: KeyboardEvent) {
    const target = {
      ArrowLeft: nowSec - STEP_SEC,
      ArrowDown: nowSec - STEP_SEC,
      ArrowRight: nowSec + STEP_SEC,
      ArrowUp: nowSec + STEP_SEC,
      PageDown: nowSec - PAGE_SEC,
      PageUp: nowSec + PAGE_SEC,
      Home: 0,
      End: durationSec,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    setPointedSec(null);
    preview();
    onSeek(target);
  }
  const chapter = chapterAt(content.chapters, nowSec);
  const spoken = [
    `${speakTime(nowSec)} of ${speakTime(durationSec)}`,
    chapter && visibleText(chapter.title),
    gapAt(content, nowSec),
  ];
  return (
    <div
      className={styles.timeline}
      onPointerMove={point}
      onPointerLeave={() => setPointedSec(null)}
    >
      {activity}
      <div className={styles.track}>
        <span
          className={styles.buffered}
          style={{ width: `${percentOf(bufferedSec, durationSec)}%` }}
        />
        <span className={styles.played} style={{ width: `${percentOf(nowSec, durationSec)}%` }} />
        {content.muted.map((range) => (
          <span key={range.startSec} className={styles.muted} style={partOf(range)} />
        ))}
        {content.missing.map((range) => (
          <span key={range.startSec} className={styles.missing} style={partOf(range)} />
        ))}
        {content.clip !== null && <span className={styles.clip} style={partOf(content.clip)} />}
        {content.chapters
          .filter(({ startSec }) => startSec > 0)
          .map(({ startSec }) => (
            <span
              key={startSec}
              className={styles.chapter}
              style={{ left: `${percentOf(startSec, durationSec)}%` }}
            />
          ))}
      </div>
      <input
        type="range"
        id={id}
        className={styles.slider}
        aria-label="Seek"
        aria-valuetext={spoken.filter(Boolean).join(", ")}
        min={0}
        max={durationSec}
        step="any"
        value={Math.min(nowSec, durationSec)}
        onChange={(event) => onSeek(event.target.valueAsNumber)}
        onKeyDown={handleKey}
        onFocus={(event) => event.target.matches(":focus-visible") && preview()}
        onBlur={() => setFocused(false)}
      />
      {previewSec !== null && durationSec > 0 && (
        <Preview
          sec={previewSec}
          durationSec={durationSec}
          content={content}
          storyboard={storyboard}
        />
      )}
    </div>
  );
}

/** The slider's own value says the same to screen readers. */
function Preview({
  sec,
  durationSec,
  content,
  storyboard,
}: {
  readonly sec: number;
  readonly durationSec: number;
  readonly content: TimelineContent;
  readonly storyboard: Storyboard | undefined;
}) {
  const chapter = chapterAt(content.chapters, sec);
  const gap = gapAt(content, sec);
  return (
    <div
      className={styles.preview}
      style={{ left: `clamp(5rem, ${percentOf(sec, durationSec)}%, 100% - 5rem)` }}
      aria-hidden="true"
    >
      {storyboard !== undefined && <StoryboardFrame storyboard={storyboard} sec={sec} />}
      <span className={styles.time}>{formatClock(sec)}</span>
      {chapter !== undefined && <span>{visibleText(chapter.title)}</span>}
      {gap !== undefined && <span>{gap}</span>}
    </div>
  );
}

function gapAt({ muted, missing }: TimelineContent, sec: number): string | undefined {
  if (isWithin(missing, sec)) return "Missing";
  return isWithin(muted, sec) ? "Muted" : undefined;
}

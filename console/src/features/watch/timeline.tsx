import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import type { Chapter } from "#contract/files.ts";
import type { TimeRange, Upload } from "#contract/upload.ts";
import { StoryboardFrame } from "#console/domain/files/storyboard-frame.tsx";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import { chapterAt, isWithin, percentOf } from "./timeline-math.ts";
import styles from "./timeline.module.css";
import type { Playback } from "./use-playback.ts";
import { formatClock, speakTime } from "./watch-time.ts";

const STEP_SEC = 5;
const PAGE_SEC = 60;
const FRAME_WIDTH_PX = 160;

/** A slider over the video's time, with its chapters and gaps, and a preview of where one points. */
export function Timeline({
  upload,
  chapters,
  clip,
  playback: { nowSec, durationSec, bufferedSec },
  activity,
  onSeek,
}: {
  readonly upload: Upload;
  readonly chapters: readonly Chapter[];
  /** What is being cut out; null if nothing is. */
  readonly clip: TimeRange | null;
  readonly playback: Pick<Playback, "nowSec" | "durationSec" | "bufferedSec">;
  /** Drawn above the bar on the same scale, e.g. a histogram of the chat. */
  readonly activity?: ReactNode;
  readonly onSeek: (sec: number) => void;
}) {
  const { mutedRanges, missingRanges } = upload.metadata;
  const [pointedSec, setPointedSec] = useState<number | null>(null);
  const [focused, setFocused] = useState(false);
  const previewSec = pointedSec ?? (focused ? nowSec : null);
  const partOf = ({ startSec, endSec }: TimeRange) => ({
    left: `${percentOf(startSec, durationSec)}%`,
    width: `${percentOf(endSec - startSec, durationSec)}%`,
  });

  function point(event: PointerEvent<HTMLElement>) {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width));
    setPointedSec(share * durationSec);
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
    setFocused(true);
    onSeek(target);
  }
  /** The chapter of a time, and what is wrong there. */
  function placeAt(sec: number): readonly string[] {
    const chapter = chapterAt(chapters, sec);
    const gap = isWithin(missingRanges, sec)
      ? "Missing"
      : isWithin(mutedRanges, sec)
        ? "Muted"
        : undefined;
    return [chapter && visibleText(chapter.title), gap].filter((text) => text !== undefined);
  }
  const spoken = [`${speakTime(nowSec)} of ${speakTime(durationSec)}`, ...placeAt(nowSec)];
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
        {mutedRanges.map((range) => (
          <span key={range.startSec} className={styles.muted} style={partOf(range)} />
        ))}
        {missingRanges.map((range) => (
          <span key={range.startSec} className={styles.missing} style={partOf(range)} />
        ))}
        {clip !== null && <span className={styles.clip} style={partOf(clip)} />}
        {chapters
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
        className={styles.slider}
        aria-label="Seek"
        aria-valuetext={spoken.join(", ")}
        min={0}
        max={durationSec}
        step="any"
        value={Math.min(nowSec, durationSec)}
        onChange={(event) => onSeek(event.target.valueAsNumber)}
        onKeyDown={handleKey}
        onFocus={({ target }) => setFocused(target.matches(":focus-visible"))}
        onBlur={() => setFocused(false)}
      />
      {previewSec !== null && durationSec > 0 && (
        // The slider's own value says the same to screen readers.
        <div
          className={classNames("stack gap0 tiny framed", styles.preview)}
          style={{ left: `clamp(5rem, ${percentOf(previewSec, durationSec)}%, 100% - 5rem)` }}
          aria-hidden="true"
        >
          {upload.hasStoryboard && (
            <StoryboardFrame id={upload.id} sec={previewSec} widthPx={FRAME_WIDTH_PX} />
          )}
          <span className="strong">{formatClock(previewSec)}</span>
          {placeAt(previewSec).map((text) => (
            <span key={text}>{text}</span>
          ))}
        </div>
      )}
    </div>
  );
}

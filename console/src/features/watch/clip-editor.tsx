import { FileVideo, Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { StoredFile } from "#contract/files.ts";
import type { TimeRange } from "#contract/upload.ts";
import { storedRefusal } from "#console/domain/files/file-words.ts";
import { saveAsMp4 } from "#console/mp4/save-stored.ts";
import { formatDuration } from "#console/lib/format.ts";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { TextField } from "#console/ui/text-field.tsx";
import { clipProblemOf } from "./timeline-math.ts";
import { moveTo } from "./use-playback.ts";
import { parseTime } from "#contract/clock-time.ts";
import { formatClock, formatTime } from "./watch-time.ts";
import styles from "./watch.module.css";

/** Sets the start and end of a clip, plays it, and saves it as an MP4 file. */
export function ClipEditor({
  clip,
  onClip,
  video,
  durationSec,
  file,
}: {
  readonly clip: TimeRange;
  readonly onClip: (clip: TimeRange) => void;
  readonly video: HTMLVideoElement | null;
  readonly durationSec: number;
  readonly file: StoredFile;
}) {
  const preview = useRef<AbortController | null>(null);
  useEffect(() => () => preview.current?.abort(), []);
  const problem = clipProblemOf(clip, durationSec);
  const lengthSec = clip.endSec - clip.startSec;
  return (
    <section aria-label="Clip">
      <Card title="Clip">
        <div className="wrap gap3">
          <TimeField
            label="Start"
            shortcut="i"
            sec={clip.startSec}
            video={video}
            onSec={(startSec) => onClip({ ...clip, startSec })}
          />
          <TimeField
            label="End"
            shortcut="o"
            sec={clip.endSec}
            video={video}
            onSec={(endSec) => onClip({ ...clip, endSec: Math.min(endSec, durationSec) })}
          />
        </div>
        <p className={classNames("small soft", styles.clipNote)} role="status">
          {problem ??
            `${formatDuration(lengthSec)}. The saved file starts at the key frame before the start, up to a few seconds early.`}
        </p>
        <div className="wrap gap3">
          <Button
            icon={<Play />}
            disabledReason={problem}
            onClick={() => {
              preview.current?.abort();
              if (video !== null) preview.current = playClip(video, clip);
            }}
          >
            Play clip
          </Button>
          <Button
            kind="primary"
            icon={<FileVideo />}
            disabledReason={storedRefusal(file) ?? problem}
            onClick={() => void saveAsMp4(file.key, { at: formatTime(clip.startSec), span: clip })}
          >
            Save clip
          </Button>
        </div>
      </Card>
    </section>
  );
}

/** A time such as 1:02:03, and a button that takes the one that is shown. */
function TimeField({
  label,
  shortcut,
  sec,
  video,
  onSec,
}: {
  readonly label: string;
  readonly shortcut: string;
  readonly sec: number;
  readonly video: HTMLVideoElement | null;
  readonly onSec: (sec: number) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const isUnreadable = typed !== null && parseTime(typed) === undefined;
  return (
    <div className={classNames("wrap bottom gap3 growFirst", styles.clipTime)}>
      <TextField
        label={label}
        value={typed ?? formatClock(sec)}
        error={isUnreadable ? "Enter a time such as 1:02:03." : undefined}
        onChange={({ target }) => {
          setTyped(target.value);
          const parsed = parseTime(target.value);
          if (parsed !== undefined) onSec(parsed);
        }}
        onBlur={() => {
          if (!isUnreadable) setTyped(null);
        }}
      />
      <Button
        aria-keyshortcuts={shortcut}
        onClick={() => {
          setTyped(null);
          onSec(video?.currentTime ?? sec);
        }}
      >
        {label} here
      </Button>
    </div>
  );
}

/** Plays a clip and pauses at its end. A pause, or a seek out of the clip, ends the preview. */
function playClip(video: HTMLVideoElement, { startSec, endSec }: TimeRange): AbortController {
  const preview = new AbortController();
  const { signal } = preview;
  moveTo(video, startSec);
  video.addEventListener(
    "timeupdate",
    () => {
      if (video.seeking) return;
      if (video.currentTime >= endSec) video.pause();
      if (video.currentTime >= endSec || video.currentTime < startSec - 1) preview.abort();
    },
    { signal },
  );
  video.addEventListener("pause", () => preview.abort(), { signal });
  void video.play().catch(() => preview.abort());
  return preview;
}

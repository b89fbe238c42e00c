import { FileVideo, Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { ObjectKey } from "#contract/files.ts";
import { formatDuration } from "#console/lib/format.ts";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { lazyDialog } from "#console/ui/dialog.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { formatClock, parseClock } from "../watch-time.ts";
import styles from "./clip-editor.module.css";
import { problemOf, type Clip } from "./clip.ts";
import { playClip } from "./play-clip.ts";

const Mp4Dialog = lazyDialog(async () => (await import("#console/mp4/mp4-dialog.tsx")).Mp4Dialog);

/** Sets the start and end of a clip, plays it, and saves it as an MP4 file. */
export function ClipEditor({
  clip,
  onClip,
  video,
  durationSec,
  fileKey,
  name,
  sizeBytes,
  refusal,
  onClose,
}: {
  readonly clip: Clip;
  readonly onClip: (clip: Clip) => void;
  readonly video: HTMLVideoElement | null;
  readonly durationSec: number;
  readonly fileKey: ObjectKey;
  readonly name: string;
  /** Of the whole video. */
  readonly sizeBytes: number;
  /** Why the file can't be read, or undefined. */
  readonly refusal: string | undefined;
  readonly onClose: () => void;
}) {
  const [saving, setSaving] = useState(false);
  const preview = useRef<AbortController | null>(null);
  useEffect(() => () => preview.current?.abort(), []);
  const problem = problemOf(clip, durationSec);
  const lengthSec = clip.toSec - clip.fromSec;
  return (
    <section aria-label="Clip">
      <Card title="Clip">
        <div className={styles.times}>
          <TimeField
            label="Start"
            shortcut="i"
            sec={clip.fromSec}
            nowSec={() => video?.currentTime}
            onSec={(fromSec) => onClip({ ...clip, fromSec })}
          />
          <TimeField
            label="End"
            shortcut="o"
            sec={clip.toSec}
            nowSec={() => video?.currentTime}
            onSec={(toSec) => onClip({ ...clip, toSec: Math.min(toSec, durationSec) })}
          />
        </div>
        <p className={styles.note} role="status">
          {problem ??
            `${formatDuration(lengthSec)}. The saved file starts at the key frame before the start, up to a few seconds early.`}
        </p>
        <div className={styles.actions}>
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
            disabledReason={refusal ?? problem}
            onClick={() => setSaving(true)}
          >
            Save clip
          </Button>
          <Button onClick={onClose}>Close</Button>
        </div>
        {saving && (
          <Mp4Dialog
            title="Save clip"
            fileKey={fileKey}
            name={name}
            sizeBytes={Math.ceil((sizeBytes * lengthSec) / durationSec)}
            span={clip}
            refusal={refusal}
            onClose={() => setSaving(false)}
          />
        )}
      </Card>
    </section>
  );
}

/** A time such as 1:02:03, and a button that takes the one that is shown. */
function TimeField({
  label,
  shortcut,
  sec,
  nowSec,
  onSec,
}: {
  readonly label: string;
  readonly shortcut: string;
  readonly sec: number;
  readonly nowSec: () => number | undefined;
  readonly onSec: (sec: number) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const isUnreadable = typed !== null && parseClock(typed) === undefined;
  return (
    <div className={styles.time}>
      <TextField
        label={label}
        value={typed ?? formatClock(sec)}
        error={isUnreadable ? "Enter a time such as 1:02:03." : undefined}
        onChange={({ target }) => {
          setTyped(target.value);
          const parsed = parseClock(target.value);
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
          onSec(nowSec() ?? sec);
        }}
      >
        {label} here
      </Button>
    </div>
  );
}

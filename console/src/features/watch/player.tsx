import { useEffect, useRef, useState, type MouseEvent, type ReactNode } from "react";
import type { StoredFile } from "#contract/files.ts";
import type { TimeRange, Upload } from "#contract/upload.ts";
import { apiAddress } from "#console/lib/api-address.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Spinner } from "#console/ui/spinner.tsx";
import { PlayerControls } from "./player-controls.tsx";
import { usePlayerKeys, videoKeys, type PlayerKeys } from "./player-keys.ts";
import styles from "./player.module.css";
import { Timeline } from "./timeline.tsx";
import type { Playback } from "./use-playback.ts";
import type { View } from "./use-view.ts";

/** Where the source does not say. */
const USUAL_FRAMES_PER_SEC = 30;

/** The controls over a playing video are hidden after this long without a movement. */
const IDLE_AFTER_MS = 3_000;

/** A second tap within this time skips. */
const DOUBLE_TAP_MS = 300;

/** A video with its controls. Its keys are in the list of shortcuts. */
export function Player({
  upload,
  file,
  clip,
  player,
  onPlayer,
  view,
  video,
  onVideo,
  playback,
  activity,
  onClip,
  onSeek,
}: {
  readonly upload: Upload;
  readonly file: StoredFile;
  readonly clip: TimeRange | null;
  readonly player: HTMLElement | null;
  readonly onPlayer: (player: HTMLElement | null) => void;
  readonly view: View;
  readonly video: HTMLVideoElement | null;
  readonly onVideo: (video: HTMLVideoElement | null) => void;
  readonly playback: Playback;
  readonly activity?: ReactNode;
  /** The time that is shown becomes an end of the clip. */
  readonly onClip: (end: keyof TimeRange) => void;
  readonly onSeek: (sec: number) => void;
}) {
  const [idle, setIdle] = useIdle(player, !playback.paused);
  /** What a key did, shown for a moment and announced. */
  const [said, setSaid] = useState({ text: "", number: 0 });
  const say = (text: string) => setSaid(({ number }) => ({ text, number: number + 1 }));
  const { durationSec } = playback;
  const keys: PlayerKeys = {
    ...(video && videoKeys(video, { durationSec, frameSec: frameSecOf(file), say, seek: onSeek })),
    f: view.toggleFull,
    t: view.toggleTheater,
    ...(view.toggleSide && { c: view.toggleSide }),
    i() {
      say("Start of the clip");
      onClip("startSec");
    },
    o() {
      say("End of the clip");
      onClip("endSec");
    },
  };
  usePlayerKeys(player, keys);
  const pointer = useRef({ isTouch: false, tappedAt: -DOUBLE_TAP_MS });
  /** A tap shows or hides the controls; a second one on the left or right skips. */
  function tap({ timeStamp, clientX, currentTarget }: MouseEvent<HTMLElement>) {
    const isSecond = timeStamp - pointer.current.tappedAt < DOUBLE_TAP_MS;
    pointer.current.tappedAt = timeStamp;
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = (clientX - left) / width;
    if (!isSecond) setIdle(!idle);
    else if (share < 1 / 3) keys["j"]?.();
    else if (share > 2 / 3) keys["l"]?.();
  }

  return (
    <section
      ref={onPlayer}
      className={styles.player}
      aria-label="Player"
      data-idle={idle || undefined}
      data-theater={view.isTheater || undefined}
    >
      {/* Archived streams come without captions. A key and a button do the same as a click. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <video
        ref={onVideo}
        poster={
          upload.hasThumbnail ? apiAddress(`/admin/uploads/${upload.id}/thumbnail`) : undefined
        }
        className={styles.video}
        aria-label={visibleText(upload.filename)}
        playsInline
        preload="metadata"
        onPointerDown={({ pointerType }) => (pointer.current.isTouch = pointerType === "touch")}
        onClick={(event) => (pointer.current.isTouch ? tap(event) : keys["k"]?.())}
        onDoubleClick={() => pointer.current.isTouch || view.toggleFull()}
      />
      {playback.waiting && (
        <span className={styles.waiting}>
          <Spinner />
        </span>
      )}
      <output>
        <span key={said.number} className={styles.said}>
          {said.text}
        </span>
      </output>
      <div className={styles.panel}>
        <Timeline
          upload={upload}
          chapters={file.chapters}
          clip={clip}
          playback={playback}
          activity={activity}
          onSeek={onSeek}
        />
        <PlayerControls video={video} keys={keys} playback={playback} view={view} />
      </div>
    </section>
  );
}

function frameSecOf({ metadata: { framesPerSec } }: StoredFile): number {
  return (
    1 / (typeof framesPerSec === "number" && framesPerSec > 0 ? framesPerSec : USUAL_FRAMES_PER_SEC)
  );
}

/** Whether nobody has moved or pressed anything in the player for a while. */
function useIdle(player: HTMLElement | null, mayIdle: boolean) {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    if (player === null || !mayIdle) return undefined;
    const sleep = () => setIdle(true);
    let timer = idle ? undefined : setTimeout(sleep, IDLE_AFTER_MS);
    function wake(event: Event) {
      // A finger on the picture shows and hides the controls by itself.
      const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
      if (isTouch && event.target instanceof HTMLVideoElement) return;
      setIdle(false);
      clearTimeout(timer);
      timer = setTimeout(sleep, IDLE_AFTER_MS);
    }
    const leaving = new AbortController();
    for (const event of ["pointermove", "pointerdown", "keydown", "focusin"])
      player.addEventListener(event, wake, { signal: leaving.signal });
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [player, mayIdle, idle]);
  return [idle && mayIdle, setIdle] as const;
}

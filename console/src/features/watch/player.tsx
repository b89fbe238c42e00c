import { useEffect, useState, type ReactNode } from "react";
import type { StoredFile } from "#contract/files.ts";
import type { TimeRange, Upload } from "#contract/upload.ts";
import { apiAddress } from "#console/lib/api-address.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Spinner } from "#console/ui/spinner.tsx";
import { PlayerControls } from "./player-controls.tsx";
import { usePlayerKeys, type PlayerKeys } from "./player-keys.ts";
import { playerSettings, rememberSettings } from "./player-memory.ts";
import styles from "./player.module.css";
import { Timeline } from "./timeline.tsx";
import { useFullScreen } from "./use-full-screen.ts";
import type { Playback } from "./use-playback.ts";
import { videoKeys } from "./video-keys.ts";

/** Where the source does not say. */
const USUAL_FRAMES_PER_SEC = 30;

/** The controls of a playing video are hidden in full screen after this long without a touch. */
const IDLE_AFTER_MS = 3_000;

/** A video with its controls. Its keys are in the list of shortcuts. */
export function Player({
  upload,
  file,
  clip,
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
  readonly video: HTMLVideoElement | null;
  readonly onVideo: (video: HTMLVideoElement | null) => void;
  readonly playback: Playback;
  readonly activity?: ReactNode;
  /** The time that is shown becomes an end of the clip. */
  readonly onClip: (end: keyof TimeRange) => void;
  readonly onSeek: (sec: number) => void;
}) {
  const [player, setPlayer] = useState<HTMLElement | null>(null);
  const [theater, setTheater] = useState(() => playerSettings().theater);
  const { isFull, toggle: toggleFullScreen } = useFullScreen(player);
  const idle = useIdle(player, isFull && !playback.paused);
  /** What a key did, shown for a moment and announced. */
  const [said, setSaid] = useState({ text: "", number: 0 });
  const say = (text: string) => setSaid(({ number }) => ({ text, number: number + 1 }));
  const { durationSec } = playback;
  const keys: PlayerKeys = {
    ...(video && videoKeys(video, { durationSec, frameSec: frameSecOf(file), say, seek: onSeek })),
    f: toggleFullScreen,
    t() {
      rememberSettings({ theater: !theater });
      setTheater(!theater);
    },
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

  return (
    <section
      ref={setPlayer}
      className={styles.player}
      aria-label="Player"
      data-idle={idle || undefined}
      data-theater={theater || undefined}
    >
      <div className={styles.stage}>
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
          onClick={keys["k"]}
          onDoubleClick={toggleFullScreen}
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
      </div>
      <div className={styles.panel}>
        <Timeline
          upload={upload}
          chapters={file.chapters}
          clip={clip}
          playback={playback}
          activity={activity}
          onSeek={onSeek}
        />
        <PlayerControls
          video={video}
          keys={keys}
          playback={playback}
          theater={theater}
          isFull={isFull}
        />
      </div>
    </section>
  );
}

function frameSecOf({ metadata: { framesPerSec } }: StoredFile): number {
  return (
    1 / (typeof framesPerSec === "number" && framesPerSec > 0 ? framesPerSec : USUAL_FRAMES_PER_SEC)
  );
}

function useIdle(player: HTMLElement | null, mayIdle: boolean): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    if (player === null || !mayIdle) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    function wake() {
      setIdle(false);
      clearTimeout(timer);
      timer = setTimeout(() => setIdle(true), IDLE_AFTER_MS);
    }
    wake();
    const leaving = new AbortController();
    for (const event of ["pointermove", "pointerdown", "keydown"])
      player.addEventListener(event, wake, { signal: leaving.signal });
    return () => {
      leaving.abort();
      clearTimeout(timer);
      setIdle(false);
    };
  }, [player, mayIdle]);
  return idle;
}

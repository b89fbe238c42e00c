import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Storyboard } from "#contract/pictures.ts";
import { Spinner } from "#console/ui/spinner.tsx";
import { playerSettings, rememberSettings, SPEEDS, type PlayerSettings } from "./player-memory.ts";
import { PlayerControls } from "./player-controls.tsx";
import { usePlayerKeys, type PlayerCommand } from "./player-keys.ts";
import styles from "./player.module.css";
import { Timeline, type TimelineContent } from "./timeline.tsx";
import { useFullScreen } from "./use-full-screen.ts";
import type { Playback } from "./use-playback.ts";
import { applySettings } from "./video-element.ts";

/** The controls of a playing video are hidden in full screen after this long without a touch. */
const IDLE_AFTER_MS = 3_000;

/** A video with its controls. Its keys are in the list of shortcuts. */
export function Player({
  title,
  fileUrl,
  fromSec,
  poster,
  video,
  onVideo,
  playback,
  frameSec,
  content,
  storyboard,
  activity,
  theater,
  onPreview,
  onTheater,
  onClip,
  onSeek,
  onFailure,
}: {
  readonly title: string;
  /** Of a file that the browser plays by itself. */
  readonly fileUrl: string | undefined;
  /** Where that file starts. */
  readonly fromSec: number;
  readonly poster: string | undefined;
  readonly video: HTMLVideoElement | null;
  readonly onVideo: (video: HTMLVideoElement | null) => void;
  readonly playback: Playback;
  /** Duration of a frame. */
  readonly frameSec: number;
  readonly content: TimelineContent;
  readonly storyboard: Storyboard | undefined;
  readonly activity?: ReactNode;
  readonly theater: boolean;
  readonly onPreview: () => void;
  readonly onTheater: (theater: boolean) => void;
  /** The time that is shown becomes an end of the clip. */
  readonly onClip: (end: "fromSec" | "toSec") => void;
  readonly onSeek: (sec: number) => void;
  readonly onFailure: () => void;
}) {
  const [player, setPlayer] = useState<HTMLElement | null>(null);
  const { isFull, toggle: toggleFullScreen } = useFullScreen(player);
  const [settings, setSettings] = useSettings(video, theater);
  const { said, say } = useSaid();
  const idle = useIdle(player, isFull && !playback.paused);

  function change(next: Partial<PlayerSettings>) {
    setSettings({ ...settings, ...next });
  }
  function run(command: PlayerCommand) {
    if (video === null) return;
    switch (command.do) {
      case "toggle":
        say(video.paused ? "Play" : "Pause");
        if (video.paused) void video.play().catch(() => undefined);
        else video.pause();
        break;
      case "mute":
        say(settings.muted ? "Sound on" : "Muted");
        change({ muted: !settings.muted });
        break;
      case "fullScreen":
        toggleFullScreen();
        break;
      case "theater":
        onTheater(!theater);
        break;
      case "clipStart":
        say("Start of the clip");
        onClip("fromSec");
        break;
      case "clipEnd":
        say("End of the clip");
        onClip("toSec");
        break;
      case "skip":
        say(`${command.sec < 0 ? "Back" : "Forward"} ${Math.abs(command.sec)} seconds`);
        onSeek(video.currentTime + command.sec);
        break;
      case "goTo":
        say(`${command.percent}%`);
        onSeek((playback.durationSec * command.percent) / 100);
        break;
      case "frame":
        if (video.paused) onSeek(video.currentTime + command.step * frameSec);
        break;
      case "speed": {
        const speed = SPEEDS[SPEEDS.indexOf(settings.speed) + command.step];
        if (speed === undefined) break;
        say(`Speed ${speed}`);
        change({ speed });
        break;
      }
      case "volume": {
        const volume = Math.min(1, Math.max(0, settings.volume + command.by));
        say(`Volume ${Math.round(volume * 100)}%`);
        change({ volume, muted: false });
        break;
      }
    }
  }
  usePlayerKeys(player, run);

  return (
    <section
      ref={setPlayer}
      className={styles.player}
      aria-label="Player"
      data-idle={idle || undefined}
    >
      <div className={styles.stage}>
        {/* Archived streams come without captions. A key and a button do the same as a click. */}
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
        <video
          ref={onVideo}
          src={fileUrl}
          poster={poster}
          className={styles.video}
          aria-label={title}
          playsInline
          preload="metadata"
          onLoadedMetadata={({ currentTarget }) => {
            if (fileUrl !== undefined && fromSec > 0) currentTarget.currentTime = fromSec;
          }}
          onClick={() => run({ do: "toggle" })}
          onDoubleClick={toggleFullScreen}
          onError={() => {
            if (fileUrl !== undefined) onFailure();
          }}
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
          nowSec={playback.nowSec}
          durationSec={playback.durationSec}
          bufferedSec={playback.bufferedSec}
          content={content}
          storyboard={storyboard}
          activity={activity}
          onPreview={onPreview}
          onSeek={onSeek}
        />
        <PlayerControls
          playback={playback}
          settings={settings}
          video={video}
          theater={theater}
          isFull={isFull}
          onChange={change}
          onCommand={run}
        />
      </div>
    </section>
  );
}

/** The settings of this device, applied to the video. */
function useSettings(video: HTMLVideoElement | null, theater: boolean) {
  const [settings, setSettings] = useState(playerSettings);
  useEffect(() => {
    if (video !== null) applySettings(video, settings);
  }, [video, settings]);
  useEffect(() => rememberSettings({ ...settings, theater }), [settings, theater]);
  return [settings, setSettings] as const;
}

/** What a key did, shown for a moment and announced. */
function useSaid() {
  const [said, setSaid] = useState({ text: "", number: 0 });
  return {
    said,
    say: (text: string) => setSaid(({ number }) => ({ text, number: number + 1 })),
  };
}

function useIdle(player: HTMLElement | null, mayIdle: boolean): boolean {
  const [idle, setIdle] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (player === null || !mayIdle) return undefined;
    function wake() {
      setIdle(false);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setIdle(true), IDLE_AFTER_MS);
    }
    wake();
    const events = ["pointermove", "pointerdown", "keydown"] as const;
    for (const event of events) player.addEventListener(event, wake);
    return () => {
      clearTimeout(timer.current);
      setIdle(false);
      for (const event of events) player.removeEventListener(event, wake);
    };
  }, [player, mayIdle]);
  return idle;
}

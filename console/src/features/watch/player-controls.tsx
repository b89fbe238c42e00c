import {
  Maximize,
  Minimize,
  Pause,
  PictureInPicture2,
  Play,
  RectangleHorizontal,
  RotateCcw,
  RotateCw,
  Volume2,
  VolumeX,
} from "lucide-react";
import { IconButton } from "#console/ui/button.tsx";
import { Select } from "#console/ui/select.tsx";
import type { PlayerCommands } from "./player-commands.ts";
import { SPEEDS } from "./player-memory.ts";
import styles from "./player.module.css";
import type { Playback } from "./use-playback.ts";
import { formatClock } from "./watch-time.ts";

const SPEED_OPTIONS = SPEEDS.map((value) => ({ value, label: `${value}×` }));

export function PlayerControls({
  playback: { paused, nowSec, durationSec, volume, muted, speed },
  commands,
  theater,
  isFull,
  onTheater,
  onFullScreen,
}: {
  readonly playback: Playback;
  /** Null until there is a video. */
  readonly commands: PlayerCommands | null;
  readonly theater: boolean;
  readonly isFull: boolean;
  readonly onTheater: () => void;
  readonly onFullScreen: () => void;
}) {
  const isSilent = muted || volume === 0;
  return (
    <div className={styles.controls}>
      <IconButton
        label={paused ? "Play" : "Pause"}
        aria-keyshortcuts="k"
        onClick={() => commands?.toggle()}
      >
        {paused ? <Play /> : <Pause />}
      </IconButton>
      <IconButton label="Back 10 seconds" aria-keyshortcuts="j" onClick={() => commands?.skip(-10)}>
        <RotateCcw />
      </IconButton>
      <IconButton
        label="Forward 10 seconds"
        aria-keyshortcuts="l"
        onClick={() => commands?.skip(10)}
      >
        <RotateCw />
      </IconButton>
      <IconButton
        label={muted ? "Sound on" : "Mute"}
        aria-keyshortcuts="m"
        onClick={() => commands?.mute()}
      >
        {isSilent ? <VolumeX /> : <Volume2 />}
      </IconButton>
      <input
        type="range"
        className={styles.volume}
        aria-label="Volume"
        aria-valuetext={`${Math.round(volume * 100)}%`}
        min={0}
        max={1}
        step={0.05}
        value={muted ? 0 : volume}
        onChange={({ target }) => commands?.setVolume(target.valueAsNumber)}
      />
      <span className={styles.time}>
        {formatClock(nowSec)} / {formatClock(durationSec)}
      </span>
      <span className={styles.end}>
        <Select
          label="Speed"
          value={speed}
          options={SPEED_OPTIONS}
          onChange={(next) => commands?.setSpeed(next)}
        />
        {document.pictureInPictureEnabled && (
          <IconButton
            label="Picture-in-picture"
            onClick={() => void commands?.togglePictureInPicture().catch(() => undefined)}
          >
            <PictureInPicture2 />
          </IconButton>
        )}
        <span className={styles.wide}>
          <IconButton
            label="Theater mode"
            aria-pressed={theater}
            aria-keyshortcuts="t"
            onClick={onTheater}
          >
            <RectangleHorizontal />
          </IconButton>
        </span>
        {document.fullscreenEnabled && (
          <IconButton
            label={isFull ? "Leave full screen" : "Full screen"}
            aria-keyshortcuts="f"
            onClick={onFullScreen}
          >
            {isFull ? <Minimize /> : <Maximize />}
          </IconButton>
        )}
      </span>
    </div>
  );
}

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
import { SPEEDS, type PlayerSettings } from "./player-memory.ts";
import type { PlayerCommand } from "./player-keys.ts";
import styles from "./player.module.css";
import type { Playback } from "./use-playback.ts";
import { formatClock } from "./watch-time.ts";

const SPEED_OPTIONS = SPEEDS.map((value) => ({ value, label: `${value}×` }));

export function PlayerControls({
  playback: { paused, nowSec, durationSec },
  settings: { volume, muted, speed },
  video,
  theater,
  isFull,
  onChange,
  onCommand,
}: {
  readonly playback: Playback;
  readonly settings: PlayerSettings;
  readonly video: HTMLVideoElement | null;
  readonly theater: boolean;
  readonly isFull: boolean;
  readonly onChange: (settings: Partial<PlayerSettings>) => void;
  readonly onCommand: (command: PlayerCommand) => void;
}) {
  const isSilent = muted || volume === 0;
  return (
    <div className={styles.controls}>
      <IconButton
        label={paused ? "Play" : "Pause"}
        aria-keyshortcuts="k"
        onClick={() => onCommand({ do: "toggle" })}
      >
        {paused ? <Play /> : <Pause />}
      </IconButton>
      <IconButton
        label="Back 10 seconds"
        aria-keyshortcuts="j"
        onClick={() => onCommand({ do: "skip", sec: -10 })}
      >
        <RotateCcw />
      </IconButton>
      <IconButton
        label="Forward 10 seconds"
        aria-keyshortcuts="l"
        onClick={() => onCommand({ do: "skip", sec: 10 })}
      >
        <RotateCw />
      </IconButton>
      <IconButton
        label={muted ? "Sound on" : "Mute"}
        aria-keyshortcuts="m"
        onClick={() => onCommand({ do: "mute" })}
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
        onChange={(event) => onChange({ volume: event.target.valueAsNumber, muted: false })}
      />
      <span className={styles.time}>
        {formatClock(nowSec)} / {formatClock(durationSec)}
      </span>
      <span className={styles.end}>
        <Select
          label="Speed"
          value={speed}
          options={SPEED_OPTIONS}
          onChange={(next) => onChange({ speed: next })}
        />
        {document.pictureInPictureEnabled && (
          <IconButton
            label="Picture-in-picture"
            onClick={() => void togglePictureInPicture(video).catch(() => undefined)}
          >
            <PictureInPicture2 />
          </IconButton>
        )}
        <span className={styles.wide}>
          <IconButton
            label="Theater mode"
            aria-pressed={theater}
            aria-keyshortcuts="t"
            onClick={() => onCommand({ do: "theater" })}
          >
            <RectangleHorizontal />
          </IconButton>
        </span>
        {document.fullscreenEnabled && (
          <IconButton
            label={isFull ? "Leave full screen" : "Full screen"}
            aria-keyshortcuts="f"
            onClick={() => onCommand({ do: "fullScreen" })}
          >
            {isFull ? <Minimize /> : <Maximize />}
          </IconButton>
        )}
      </span>
    </div>
  );
}

async function togglePictureInPicture(video: HTMLVideoElement | null): Promise<void> {
  if (document.pictureInPictureElement !== null) await document.exitPictureInPicture();
  else await video?.requestPictureInPicture();
}

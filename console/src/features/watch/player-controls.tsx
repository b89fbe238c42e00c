import {
  Maximize,
  Minimize,
  PanelRightClose,
  PanelRightOpen,
  Pause,
  PictureInPicture2,
  Play,
  RectangleHorizontal,
  RotateCcw,
  RotateCw,
  Volume2,
  VolumeX,
} from "lucide-react";
import { IconButton, type IconButtonProps } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Select } from "#console/ui/select.tsx";
import type { PlayerKeys } from "./player-keys.ts";
import { SPEEDS } from "./player-memory.ts";
import styles from "./player.module.css";
import { setSpeed, setVolume, type Playback } from "./use-playback.ts";
import type { View } from "./use-view.ts";
import { formatClock } from "./watch-time.ts";

const SPEED_OPTIONS = SPEEDS.map((value) => ({ value, label: `${value}×` }));

export function PlayerControls({
  video,
  keys,
  playback: { paused, nowSec, durationSec, volume, muted, speed },
  view: { isTheater, isFull, isSideShown, toggleSide },
}: {
  readonly video: HTMLVideoElement | null;
  /** What the buttons do. */
  readonly keys: PlayerKeys;
  readonly playback: Playback;
  readonly view: View;
}) {
  const byKey = (key: string, label: string): Omit<IconButtonProps, "children"> => ({
    label,
    "aria-keyshortcuts": key,
    onClick: () => keys[key]?.(),
  });
  const isSilent = muted || volume === 0;
  return (
    <div className="wrap gap1">
      <IconButton {...byKey("k", paused ? "Play" : "Pause")}>
        {paused ? <Play /> : <Pause />}
      </IconButton>
      <span className={classNames("row gap1", styles.roomy)}>
        <IconButton {...byKey("j", "Back 10 seconds")}>
          <RotateCcw />
        </IconButton>
        <IconButton {...byKey("l", "Forward 10 seconds")}>
          <RotateCw />
        </IconButton>
        <IconButton {...byKey("m", muted ? "Sound on" : "Mute")}>
          {isSilent ? <VolumeX /> : <Volume2 />}
        </IconButton>
      </span>
      <input
        type="range"
        className={styles.volume}
        aria-label="Volume"
        aria-valuetext={`${Math.round(volume * 100)}%`}
        min={0}
        max={1}
        step={0.05}
        value={muted ? 0 : volume}
        onChange={({ target }) => {
          if (video !== null) setVolume(video, target.valueAsNumber);
        }}
      />
      <span className={classNames("small", styles.time)}>
        {formatClock(nowSec)} / {formatClock(durationSec)}
      </span>
      <span className="row gap1 pushed">
        <Select
          label="Speed"
          value={speed}
          options={SPEED_OPTIONS}
          onChange={(next) => {
            if (video !== null) setSpeed(video, next);
          }}
        />
        {document.pictureInPictureEnabled && (
          <IconButton
            label="Picture-in-picture"
            onClick={() => void togglePictureInPicture(video).catch(() => undefined)}
          >
            <PictureInPicture2 />
          </IconButton>
        )}
        {toggleSide !== undefined && (
          <IconButton {...byKey("c", isSideShown ? "Hide the chat" : "Show the chat")}>
            {isSideShown ? <PanelRightClose /> : <PanelRightOpen />}
          </IconButton>
        )}
        {!isFull && (
          <span className={styles.wide}>
            <IconButton {...byKey("t", "Theater mode")} aria-pressed={isTheater}>
              <RectangleHorizontal />
            </IconButton>
          </span>
        )}
        {document.fullscreenEnabled && (
          <IconButton {...byKey("f", isFull ? "Leave full screen" : "Full screen")}>
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

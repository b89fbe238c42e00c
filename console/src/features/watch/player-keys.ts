import { useEffect, useEffectEvent } from "react";
import { areSingleKeysOn, isTyping } from "#console/lib/single-keys.ts";
import { SPEEDS } from "./player-memory.ts";
import { setSpeed, setVolume } from "./use-playback.ts";

/** What each key does, by its name. */
export type PlayerKeys = Readonly<Record<string, () => void>>;

/**
 * Handles the player's keys anywhere on the screen, after the console's own and those of the focused
 * control. Keys that scroll elsewhere count only in the player, as do all if single keys are off.
 */
export function usePlayerKeys(player: HTMLElement | null, keys: PlayerKeys): void {
  const commandOf = useEffectEvent((key: string) =>
    Object.hasOwn(keys, key) ? keys[key] : undefined,
  );
  useEffect(() => {
    function handleKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      const { key, target } = event;
      const run = commandOf(key);
      if (run === undefined || isTyping(target)) return;
      const isInside = target instanceof Node && player?.contains(target) === true;
      const scrolls = key === "ArrowUp" || key === "ArrowDown";
      if (!isInside && (scrolls || !areSingleKeysOn())) return;
      if (target instanceof Element && hasOwnUse(target, key)) return;
      event.preventDefault();
      run();
    }
    // After the document, where the console's shortcuts listen.
    window.addEventListener("keydown", handleKey);
    return () => window.removeEventListener("keydown", handleKey);
  }, [player]);
}

/** Space presses buttons, and arrows move sliders; links and scrolling regions use them, too. */
function hasOwnUse(target: Element, key: string): boolean {
  if (key === " ") return target.matches("button, summary, [role='button']");
  return key.startsWith("Arrow") && target.matches("input, [role='tab'], [role='listbox'], pre");
}

const SKIP_SEC = 5;
const LONG_SKIP_SEC = 10;
const VOLUME_STEP = 0.05;

/** What keys, and the buttons of the same meaning, do with a video. `say` shows and announces it. */
export function videoKeys(
  video: HTMLVideoElement,
  {
    durationSec,
    frameSec,
    say,
    seek,
  }: {
    readonly durationSec: number;
    /** Duration of a frame. */
    readonly frameSec: number;
    readonly say: (text: string) => void;
    readonly seek: (sec: number) => void;
  },
): PlayerKeys {
  function toggle() {
    say(video.paused ? "Play" : "Pause");
    if (video.paused) void video.play().catch(() => undefined);
    else video.pause();
  }
  function mute() {
    say(video.muted ? "Sound on" : "Muted");
    video.muted = !video.muted;
  }
  const skip = (sec: number) => () => {
    say(`${sec < 0 ? "Back" : "Forward"} ${Math.abs(sec)} seconds`);
    seek(video.currentTime + sec);
  };
  const step = (sec: number) => () => {
    if (video.paused) seek(video.currentTime + sec);
  };
  const goTo = (percent: number) => () => {
    say(`${percent}%`);
    seek((durationSec * percent) / 100);
  };
  const changeVolume = (by: number) => () => {
    setVolume(video, video.volume + by);
    say(`Volume ${Math.round(video.volume * 100)}%`);
  };
  const changeSpeed = (by: 1 | -1) => () => {
    const now = SPEEDS.findIndex((one) => Number(one) === video.playbackRate);
    const speed = SPEEDS[now + by];
    if (speed === undefined) return;
    say(`Speed ${speed}`);
    setSpeed(video, speed);
  };
  const digits = Array.from({ length: 10 }, (_, digit) => [digit, goTo(digit * 10)]);
  return {
    ...Object.fromEntries(digits),
    " ": toggle,
    k: toggle,
    j: skip(-LONG_SKIP_SEC),
    l: skip(LONG_SKIP_SEC),
    ArrowLeft: skip(-SKIP_SEC),
    ArrowRight: skip(SKIP_SEC),
    ArrowUp: changeVolume(VOLUME_STEP),
    ArrowDown: changeVolume(-VOLUME_STEP),
    m: mute,
    ",": step(-frameSec),
    ".": step(frameSec),
    "<": changeSpeed(-1),
    ">": changeSpeed(1),
  };
}

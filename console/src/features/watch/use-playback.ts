import { useEffect, useState } from "react";
import type { Upload } from "#contract/upload.ts";
import { playerSettings, rememberSettings, SPEEDS, type PlayerSettings } from "./player-memory.ts";
import { afterRange } from "./timeline-math.ts";

/** What changes of a video while it plays. */
export type Playback = Pick<PlayerSettings, "volume" | "muted" | "speed"> & {
  readonly nowSec: number;
  /** The video is open. Some phones load no frame before it is played. */
  readonly hasMetadata: boolean;
  /** The frame of `nowSec` is there. */
  readonly hasFrame: boolean;
  /** 0 until it is known. */
  readonly durationSec: number;
  /** The end of what is loaded from here on. */
  readonly bufferedSec: number;
  readonly paused: boolean;
  /** It should play, but what comes next is not loaded. */
  readonly waiting: boolean;
};

const EVENTS = [
  ..."timeupdate seeking seeked durationchange loadedmetadata loadeddata progress".split(" "),
  ..."play pause waiting playing canplay ended volumechange ratechange".split(" "),
];

/** A video that plays with the settings of this device, and a function that seeks in it. */
export function usePlayback(
  video: HTMLVideoElement | null,
  { durationSec, missingRanges }: Upload["metadata"],
): readonly [Playback, (sec: number) => void] {
  const [measured, setMeasured] = useState(() => playbackOf(document.createElement("video")));
  useEffect(() => {
    if (video === null) return undefined;
    const element = video;
    const leaving = new AbortController();
    function note({ type }: Event) {
      const now = playbackOf(element);
      setMeasured(now);
      const { volume, muted, speed } = now;
      if (type === "volumechange" || type === "ratechange")
        rememberSettings({ volume, muted, speed });
    }
    for (const event of EVENTS) element.addEventListener(event, note, { signal: leaving.signal });
    applySettings(element);
    return () => leaving.abort();
  }, [video]);

  function seek(sec: number) {
    if (video === null) return;
    const lastSec = playback.durationSec || sec;
    moveTo(video, afterRange(missingRanges, Math.min(lastSec, Math.max(0, sec))));
    setMeasured(playbackOf(video));
  }
  const playback = { ...measured, durationSec: measured.durationSec || (durationSec ?? 0) };
  return [playback, seek];
}

/** hls.js shortens the length by some hundredths if it parses a segment before setting it. */
const TENTHS = 10;

export function playbackOf(video: HTMLVideoElement): Playback {
  const { currentTime, duration, buffered, paused, ended, readyState, volume, muted } = video;
  let bufferedSec = currentTime;
  for (let range = 0; range < buffered.length; range += 1) {
    if (buffered.start(range) <= currentTime && currentTime < buffered.end(range))
      bufferedSec = buffered.end(range);
  }
  return {
    nowSec: currentTime,
    hasMetadata: readyState >= HTMLMediaElement.HAVE_METADATA,
    hasFrame: readyState >= HTMLMediaElement.HAVE_CURRENT_DATA,
    durationSec: Number.isFinite(duration) ? Math.round(duration * TENTHS) / TENTHS : 0,
    bufferedSec,
    paused,
    waiting: !paused && !ended && readyState < HTMLMediaElement.HAVE_FUTURE_DATA,
    volume,
    muted,
    speed: SPEEDS.find((speed) => Number(speed) === video.playbackRate) ?? "1",
  };
}

export function moveTo(video: HTMLVideoElement, sec: number): void {
  video.currentTime = sec;
}

export function setVolume(video: HTMLVideoElement, volume: number): void {
  video.volume = Math.min(1, Math.max(0, volume));
  video.muted = false;
}

export function setSpeed(video: HTMLVideoElement, speed: PlayerSettings["speed"]): void {
  // The default is what a new source starts with.
  video.defaultPlaybackRate = Number(speed);
  video.playbackRate = Number(speed);
}

function applySettings(video: HTMLVideoElement): void {
  const { volume, muted, speed } = playerSettings();
  video.volume = volume;
  video.muted = muted;
  setSpeed(video, speed);
}

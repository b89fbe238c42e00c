import { useEffect, useState } from "react";

/** What changes of a video while it plays. */
export type Playback = {
  readonly nowSec: number;
  /** The first frame is there. */
  readonly started: boolean;
  /** 0 until it is known. */
  readonly durationSec: number;
  /** The end of what is loaded from here on. */
  readonly bufferedSec: number;
  readonly paused: boolean;
  /** It should play, but what comes next is not loaded. */
  readonly waiting: boolean;
};

const EVENTS = [
  "timeupdate",
  "seeking",
  "seeked",
  "durationchange",
  "loadeddata",
  "progress",
  "play",
  "pause",
  "waiting",
  "playing",
  "canplay",
  "ended",
] as const;

/** Also returns a function that reads the video at once, e.g. after a seek. */
export function usePlayback(video: HTMLVideoElement | null): readonly [Playback, () => void] {
  const [playback, setPlayback] = useState<Playback>(NOTHING);
  useEffect(() => {
    if (video === null) return undefined;
    const element = video;
    function note() {
      setPlayback(playbackOf(element));
    }
    for (const event of EVENTS) element.addEventListener(event, note);
    return () => {
      for (const event of EVENTS) element.removeEventListener(event, note);
    };
  }, [video]);
  const note = () => {
    if (video !== null) setPlayback(playbackOf(video));
  };
  return [playback, note];
}

const NOTHING: Playback = {
  nowSec: 0,
  started: false,
  durationSec: 0,
  bufferedSec: 0,
  paused: true,
  waiting: false,
};

function playbackOf(video: HTMLVideoElement): Playback {
  const { currentTime, duration, buffered, paused, ended, readyState } = video;
  let bufferedSec = currentTime;
  for (let range = 0; range < buffered.length; range += 1) {
    if (buffered.start(range) <= currentTime && currentTime < buffered.end(range))
      bufferedSec = buffered.end(range);
  }
  return {
    nowSec: currentTime,
    started: readyState >= HTMLMediaElement.HAVE_CURRENT_DATA,
    durationSec: Number.isFinite(duration) ? duration : 0,
    bufferedSec,
    paused,
    waiting: !paused && !ended && readyState < HTMLMediaElement.HAVE_FUTURE_DATA,
  };
}

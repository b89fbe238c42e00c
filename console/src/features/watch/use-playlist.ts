import { useEffect, useEffectEvent } from "react";

/** Usually a format such as HEVC that this browser or machine has no decoder for. */
export const UNPLAYABLE = "This browser can't play this kind of video. Download it instead.";
const UNREACHABLE = "The video could not be loaded.";

/** Frees what was played longer ago, so that memory does not grow with the video. */
const BACK_BUFFER_SEC = 60;

const importHls = async () => import("hls.js/light");

// With the screen's own script: the first frame waits for it. A failure is told when it is used.
void importHls().catch(() => undefined);

/**
 * Plays a playlist in a video element, from `startSec`. hls.js runs without its worker: Trusted
 * Types forbid workers from blob URLs.
 */
export function usePlaylist(
  video: HTMLVideoElement | null,
  playlistUrl: string | undefined,
  startSec: number,
  onFailure: (message: string) => void,
): void {
  const fail = useEffectEvent(onFailure);
  const startedAt = useEffectEvent(() => startSec);
  useEffect(() => {
    if (video === null || playlistUrl === undefined) return undefined;
    const leaving = new AbortController();
    void attach(video, playlistUrl, startedAt(), (text) => fail(text), leaving.signal).catch(() =>
      fail("The player could not be loaded."),
    );
    return () => leaving.abort();
  }, [video, playlistUrl]);
}

async function attach(
  video: HTMLVideoElement,
  playlistUrl: string,
  startSec: number,
  fail: (message: string) => void,
  leaving: AbortSignal,
): Promise<void> {
  const { default: Hls } = await importHls();
  if (leaving.aborted) return;
  if (!Hls.isSupported()) {
    video.src = playlistUrl;
    video.currentTime = startSec;
    return;
  }
  const hls = new Hls({
    enableWorker: false,
    startPosition: startSec,
    startFragPrefetch: true,
    backBufferLength: BACK_BUFFER_SEC,
  });
  hls.on(Hls.Events.ERROR, (_event, { fatal, type }) => {
    if (fatal) fail(type === Hls.ErrorTypes.NETWORK_ERROR ? UNREACHABLE : UNPLAYABLE);
  });
  hls.loadSource(playlistUrl);
  hls.attachMedia(video);
  leaving.addEventListener("abort", () => hls.destroy());
}

import type Hls from "hls.js";
import type { StoredFile } from "#contract/files.ts";
import { codecsOf } from "#console/domain/files/file-words.ts";

/** Usually a format such as HEVC that this browser or machine has no decoder for. */
export const UNPLAYABLE = "This browser can't play this kind of video. Download it instead.";
const UNREACHABLE = "The video could not be loaded.";

/** Frees what was played longer ago, so that memory does not grow with the video. */
const BACK_BUFFER_SEC = 60;

/**
 * The name of a codec that this browser says it cannot decode. Only those with a name are judged:
 * a playlist may state more than browsers know.
 */
export function missingDecoderOf(file: StoredFile): string | undefined {
  const video = document.createElement("video");
  return codecsOf(file).find(
    ({ id, isKnown }) => isKnown && video.canPlayType(`video/mp4; codecs="${id}"`) === "",
  )?.name;
}

const importHls = async () => import("hls.js/light");

// With the screen's own script: the first frame waits for it. A failure is reported when it is used.
void importHls().catch(() => undefined);

type OpenPlaylist = {
  readonly url: string;
  readonly startSec: number;
  /** Null in browsers that play playlists by themselves only. */
  readonly hls: Promise<Hls | null>;
  /** Resolves with the reason when playback can't go on. */
  readonly failed: Promise<string>;
};

/** Opened before there is a video element to play it. */
let ahead: OpenPlaylist | undefined;

/** Loads a playlist and its first segment while the page is being drawn. */
export function openAhead(url: string, startSec: number): void {
  ahead = open(url, startSec);
}

/** hls.js runs without its worker: Trusted Types forbid workers from blob URLs. */
function open(url: string, startSec: number): OpenPlaylist {
  const failed = Promise.withResolvers<string>();
  async function load(): Promise<Hls | null> {
    const { default: Player } = await importHls();
    if (!Player.isSupported()) return null;
    const hls = new Player({
      enableWorker: false,
      startPosition: startSec,
      startFragPrefetch: true,
      backBufferLength: BACK_BUFFER_SEC,
    });
    hls.on(Player.Events.ERROR, (_event, { fatal, type, response }) => {
      // The file was deleted or its link has expired; hls.js would try again for half a minute.
      if (fatal || response?.code === 404)
        failed.resolve(type === Player.ErrorTypes.NETWORK_ERROR ? UNREACHABLE : UNPLAYABLE);
    });
    hls.loadSource(url);
    return hls;
  }
  const hls = load();
  void hls.catch(() => failed.resolve("The player could not be loaded."));
  return { url, startSec, hls, failed: failed.promise };
}

function close({ hls }: OpenPlaylist): void {
  // `failed` reports that the player could not be loaded.
  void hls.then((player) => player?.destroy()).catch(() => undefined);
}

/** The playlist that was opened ahead if it is this one; otherwise it is opened now. */
function takeOpen(url: string, startSec: number): OpenPlaylist {
  const early = ahead;
  ahead = undefined;
  if (early?.url === url && early.startSec === startSec) return early;
  if (early !== undefined) close(early);
  return open(url, startSec);
}

type Play = (
  video: HTMLVideoElement,
  url: string,
  startSec: number,
  onFailure: (message: string) => void,
  signal: AbortSignal,
) => void;

/** Plays what the browser plays by itself, from `startSec` until `signal` aborts. */
export const playFile: Play = (video, url, startSec, onFailure, signal) => {
  video.addEventListener("error", () => onFailure(UNPLAYABLE), { signal });
  video.src = url;
  video.currentTime = startSec;
};

/** The same for a playlist. */
export const playPlaylist: Play = (video, url, startSec, onFailure, signal) => {
  const opened = takeOpen(url, startSec);
  signal.addEventListener("abort", () => close(opened));
  async function play(): Promise<void> {
    const hls = await opened.hls;
    if (signal.aborted) return;
    if (hls === null) playFile(video, url, startSec, onFailure, signal);
    else hls.attachMedia(video);
  }
  async function reportFailure(): Promise<void> {
    const message = await opened.failed;
    if (!signal.aborted) onFailure(message);
  }
  // `failed` reports that the player could not be loaded.
  void play().catch(() => undefined);
  void reportFailure();
};

import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import styles from "./video-player.module.css";

const SEEK_SEC = 10;

/** Usually a format such as HEVC that this browser or machine has no decoder for. */
const UNPLAYABLE = "This browser can't play this kind of video. Download it instead.";
const UNREACHABLE = "The video could not be loaded. Close it and try again.";

/** A byte-range playlist, or a video file that the browser plays natively. */
export type VideoSource = { readonly kind: "playlist" | "file"; readonly url: string };

/** Plays a stored video; the browser requests only the ranges that it shows. */
export function VideoPlayer({
  source,
  title,
}: {
  /** Undefined until it is known. */
  readonly source: VideoSource | undefined;
  readonly title: string;
}) {
  const [failure, setFailure] = useState<string | null>(null);
  const video = usePlaylist(source?.kind === "playlist" ? source.url : undefined, setFailure);

  return (
    <>
      {failure !== null && <p role="alert">{failure}</p>}
      {/* Archived streams come without captions. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <video
        ref={video}
        src={source?.kind === "file" ? source.url : undefined}
        onError={() => {
          if (source?.kind === "file") setFailure(UNPLAYABLE);
        }}
        className={styles.video}
        aria-label={title}
        controls
        playsInline
        preload="metadata"
        data-autofocus=""
        onKeyDown={handleKey}
      />
      <p className={styles.keys}>
        Space or K plays and pauses, arrow keys skip 10 seconds, M mutes, F fills the screen.
      </p>
    </>
  );
}

/**
 * Plays a playlist in the element that gets the returned ref. hls.js loads only when there is one
 * to play, and runs without its worker: Trusted Types forbid workers from blob URLs.
 */
function usePlaylist(
  playlistUrl: string | undefined,
  onFailure: (message: string) => void,
): RefObject<HTMLVideoElement | null> {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const element = video.current;
    if (element === null || playlistUrl === undefined) return undefined;
    let destroy: (() => void) | undefined;
    let isGone = false;
    async function attach(target: HTMLVideoElement, address: string) {
      const { default: Hls } = await import("hls.js/light");
      if (isGone) return;
      if (!Hls.isSupported()) {
        target.src = address;
        return;
      }
      const hls = new Hls({ enableWorker: false });
      hls.on(Hls.Events.ERROR, (_event, { fatal, type }) => {
        if (fatal) onFailure(type === Hls.ErrorTypes.NETWORK_ERROR ? UNREACHABLE : UNPLAYABLE);
      });
      hls.loadSource(address);
      hls.attachMedia(target);
      destroy = () => hls.destroy();
    }
    void attach(element, playlistUrl).catch(() => onFailure("The player could not be loaded."));
    return () => {
      isGone = true;
      destroy?.();
    };
  }, [playlistUrl, onFailure]);
  return video;
}

function handleKey(event: KeyboardEvent<HTMLVideoElement>) {
  const element = event.currentTarget;
  if (event.key === "ArrowLeft") element.currentTime -= SEEK_SEC;
  else if (event.key === "ArrowRight") element.currentTime += SEEK_SEC;
  else if (event.key === "f") void element.requestFullscreen();
  else if (event.key === "m") element.muted = !element.muted;
  else if (event.key === "k") void (element.paused ? element.play() : element.pause());
  else return;
  event.preventDefault();
}

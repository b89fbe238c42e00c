import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import styles from "./video-player.module.css";

const SEEK_SEC = 10;

/**
 * Plays a byte-range playlist. hls.js is fetched only when somebody watches, and works without its
 * worker: a worker from a blob address is what Trusted Types forbid.
 */
export function VideoPlayer({
  playlistUrl,
  title,
}: {
  /** Undefined until it is known. */
  readonly playlistUrl: string | undefined;
  readonly title: string;
}) {
  const video = useRef<HTMLVideoElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
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
      hls.on(Hls.Events.ERROR, (_event, { fatal, details }) => {
        if (fatal) setFailure(`The video can't be played (${details}).`);
      });
      hls.loadSource(address);
      hls.attachMedia(target);
      destroy = () => hls.destroy();
    }
    void attach(element, playlistUrl).catch(() => setFailure("The player could not be loaded."));
    return () => {
      isGone = true;
      destroy?.();
    };
  }, [playlistUrl]);

  return (
    <>
      {failure !== null && <p role="alert">{failure}</p>}
      {/* Archived streams come without captions. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      <video
        ref={video}
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

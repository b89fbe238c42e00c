import { moveTo } from "../video-element.ts";
import type { Clip } from "./clip.ts";

/** Plays a clip and pauses at its end. A pause, or a seek out of the clip, ends the preview. */
export function playClip(video: HTMLVideoElement, { fromSec, toSec }: Clip): AbortController {
  const preview = new AbortController();
  const { signal } = preview;
  moveTo(video, fromSec);
  video.addEventListener(
    "timeupdate",
    () => {
      if (video.seeking) return;
      if (video.currentTime >= toSec) video.pause();
      if (video.currentTime >= toSec || video.currentTime < fromSec - 1) preview.abort();
    },
    { signal },
  );
  video.addEventListener("pause", () => preview.abort(), { signal });
  void video.play().catch(() => preview.abort());
  return preview;
}

import type { TimeRange } from "#contract/upload.ts";
import { moveTo } from "../use-playback.ts";

/** Plays a clip and pauses at its end. A pause, or a seek out of the clip, ends the preview. */
export function playClip(
  video: HTMLVideoElement,
  { startSec, endSec }: TimeRange,
): AbortController {
  const preview = new AbortController();
  const { signal } = preview;
  moveTo(video, startSec);
  video.addEventListener(
    "timeupdate",
    () => {
      if (video.seeking) return;
      if (video.currentTime >= endSec) video.pause();
      if (video.currentTime >= endSec || video.currentTime < startSec - 1) preview.abort();
    },
    { signal },
  );
  video.addEventListener("pause", () => preview.abort(), { signal });
  void video.play().catch(() => preview.abort());
  return preview;
}

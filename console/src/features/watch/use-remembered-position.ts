import { useEffect, useState } from "react";
import type { UploadId } from "#contract/ids.ts";
import { rememberedPosition, rememberPosition } from "./player-memory.ts";

const SAVE_EVERY_SEC = 5;

/** Where this upload was left on this device, and keeps noting it. */
export function useRememberedPosition(id: UploadId, video: HTMLVideoElement | null): number {
  const [position] = useState(() => rememberedPosition(id));
  useEffect(() => {
    if (video === null) return undefined;
    const element = video;
    let savedSec = element.currentTime;
    function save({ type }: Event) {
      const { currentTime, duration } = element;
      if (type === "timeupdate" && Math.abs(currentTime - savedSec) < SAVE_EVERY_SEC) return;
      if (!Number.isFinite(duration)) return;
      savedSec = currentTime;
      rememberPosition(id, currentTime, duration);
    }
    const events = ["timeupdate", "pause", "seeked"] as const;
    for (const event of events) element.addEventListener(event, save);
    return () => {
      for (const event of events) element.removeEventListener(event, save);
    };
  }, [id, video]);
  return position;
}

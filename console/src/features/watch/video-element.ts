import type { PlayerSettings } from "./player-memory.ts";

export function moveTo(video: HTMLVideoElement, sec: number): void {
  video.currentTime = sec;
}

export function applySettings(
  video: HTMLVideoElement,
  { volume, muted, speed }: PlayerSettings,
): void {
  video.volume = volume;
  video.muted = muted;
  // The default is what a new source starts with.
  video.defaultPlaybackRate = Number(speed);
  video.playbackRate = Number(speed);
}

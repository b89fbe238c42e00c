import { SPEEDS, type PlayerSettings } from "./player-memory.ts";
import { setSpeed } from "./use-playback.ts";

export type PlayerCommands = ReturnType<typeof playerCommands>;

/** What buttons and keys do with a video. `say` shows and announces it. */
export function playerCommands(
  video: HTMLVideoElement,
  {
    durationSec,
    say,
    seek,
  }: {
    readonly durationSec: number;
    readonly say: (text: string) => void;
    readonly seek: (sec: number) => void;
  },
) {
  const commands = {
    toggle: () => {
      say(video.paused ? "Play" : "Pause");
      if (video.paused) void video.play().catch(() => undefined);
      else video.pause();
    },
    mute: () => {
      say(video.muted ? "Sound on" : "Muted");
      video.muted = !video.muted;
    },
    skip: (sec: number) => {
      say(`${sec < 0 ? "Back" : "Forward"} ${Math.abs(sec)} seconds`);
      seek(video.currentTime + sec);
    },
    goTo: (percent: number) => {
      say(`${percent}%`);
      seek((durationSec * percent) / 100);
    },
    step: (sec: number) => {
      if (video.paused) seek(video.currentTime + sec);
    },
    setVolume: (volume: number) => {
      video.volume = Math.min(1, Math.max(0, volume));
      video.muted = false;
    },
    changeVolume: (by: number) => {
      commands.setVolume(video.volume + by);
      say(`Volume ${Math.round(video.volume * 100)}%`);
    },
    setSpeed: (speed: PlayerSettings["speed"]) => {
      setSpeed(video, speed);
    },
    changeSpeed: (by: 1 | -1) => {
      const now = SPEEDS.findIndex((one) => Number(one) === video.playbackRate);
      const speed = SPEEDS[now + by];
      if (speed === undefined) return;
      say(`Speed ${speed}`);
      setSpeed(video, speed);
    },
    togglePictureInPicture: async () => {
      if (document.pictureInPictureElement !== null) await document.exitPictureInPicture();
      else await video.requestPictureInPicture();
    },
  };
  return commands;
}

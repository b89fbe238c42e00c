import { recordedMp4Track, recordedTsTrack } from "../media/recorded-track.ts";
import type { MediaTrack } from "../media/media-track.ts";
import { syntheticTrack, type SyntheticOptions } from "../media/synthetic-track.ts";
import type { Rendition, UnavailableRendition } from "./vod.ts";

/** The sets of renditions of VODs. Base segments are read from disk once, when first needed. */
const AUDIO_CODEC = "mp4a.40.2";

function once<T>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}

function audioOnly(track: MediaTrack): Rendition {
  return {
    groupId: "audio_only",
    name: "Audio Only",
    codecs: AUDIO_CODEC,
    resolution: null,
    framesPerSecond: null,
    track,
  };
}

export const tsLadder = once((): readonly Rendition[] => [
  {
    groupId: "chunked",
    name: "720p",
    codecs: `avc1.64001F,${AUDIO_CODEC}`,
    resolution: "1280x720",
    framesPerSecond: 30,
    track: recordedTsTrack("ts-720p"),
  },
  {
    groupId: "360p30",
    name: "360p",
    codecs: `avc1.64001E,${AUDIO_CODEC}`,
    resolution: "640x360",
    framesPerSecond: 30,
    track: recordedTsTrack("ts-360p"),
  },
  audioOnly(recordedTsTrack("ts-audio")),
]);

export const mp4Ladder = once((): readonly Rendition[] => [
  {
    groupId: "chunked",
    name: "720p",
    codecs: `avc1.64001F,${AUDIO_CODEC}`,
    resolution: "1280x720",
    framesPerSecond: 30,
    track: recordedMp4Track(["fmp4-720p"]),
  },
  mp4LowRendition(),
  audioOnly(recordedMp4Track(["fmp4-audio"])),
]);

/** Consecutive ranges have init segments with different picture sizes and profiles. */
export const multiInitLadder = once((): readonly Rendition[] => [
  {
    groupId: "chunked",
    name: "720p",
    codecs: `avc1.64001F,${AUDIO_CODEC}`,
    resolution: "1280x720",
    framesPerSecond: 30,
    track: recordedMp4Track(["fmp4-720p", "fmp4-480p"]),
  },
  mp4LowRendition(),
  audioOnly(recordedMp4Track(["fmp4-audio"])),
]);

export const hevcLadder = once((): readonly Rendition[] => [
  {
    groupId: "chunked",
    name: "720p",
    codecs: `hev1.1.6.L93.90,${AUDIO_CODEC}`,
    resolution: "1280x720",
    framesPerSecond: 30,
    track: recordedMp4Track(["fmp4-hevc"]),
  },
  mp4LowRendition(),
  audioOnly(recordedMp4Track(["fmp4-audio"])),
]);

function mp4LowRendition(): Rendition {
  return {
    groupId: "480p30",
    name: "480p",
    codecs: `avc1.4D401F,${AUDIO_CODEC}`,
    resolution: "854x480",
    framesPerSecond: 30,
    track: recordedMp4Track(["fmp4-480p"]),
  };
}

/** All that an anonymous viewer learns about a 1440p source (docs/twitch.md#master-playlists). */
export const unavailable1440p: UnavailableRendition = {
  name: "1440p60",
  codecs: `hev1.1.6.L150.90,${AUDIO_CODEC}`,
  resolution: "2560x1440",
  framesPerSecond: 60,
  bandwidthBps: 7_700_000,
};

/** Smaller renditions beside the synthetic source, so that the source must be chosen. */
export function syntheticLadder(options: SyntheticOptions): readonly Rendition[] {
  const smaller = (factor: number): SyntheticOptions => ({
    ...options,
    vodId: `${options.vodId}/${factor}`,
    segmentSizeBytes:
      typeof options.segmentSizeBytes === "number"
        ? Math.ceil(options.segmentSizeBytes / factor)
        : options.segmentSizeBytes.map((sizeBytes) => Math.ceil(sizeBytes / factor)),
  });
  return [
    {
      groupId: "480p30",
      name: "480p",
      codecs: `avc1.4D401F,${AUDIO_CODEC}`,
      resolution: "852x480",
      framesPerSecond: 30,
      track: syntheticTrack(smaller(6)),
    },
    {
      groupId: "chunked",
      name: "1080p60",
      codecs: `avc1.64002A,${AUDIO_CODEC}`,
      resolution: "1920x1080",
      framesPerSecond: 60,
      track: syntheticTrack(options),
    },
    audioOnly(syntheticTrack(smaller(40))),
  ];
}

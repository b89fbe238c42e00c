import { recordedMp4Track, recordedTsTrack, type RecordedMp4Set } from "../media/recorded-track.ts";
import type { MediaTrack } from "../media/media-track.ts";
import { syntheticTrack, type SyntheticOptions } from "../media/synthetic-track.ts";
import type { Rendition, UnavailableRendition } from "./vod.ts";

/** The sets of renditions of VODs. Base segments are read from disk once, when first needed. */
const AUDIO_CODEC = "mp4a.40.2";

function once<T>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}

type Picture = Omit<Rendition, "codecs" | "track">;

const SOURCE: Picture = {
  groupId: "chunked",
  name: "720p",
  resolution: "1280x720",
  framesPerSecond: 30,
};
const P480: Picture = {
  groupId: "480p30",
  name: "480p",
  resolution: "854x480",
  framesPerSecond: 30,
};
const P360: Picture = {
  groupId: "360p30",
  name: "360p",
  resolution: "640x360",
  framesPerSecond: 30,
};

function video(picture: Picture, codec: string, track: MediaTrack): Rendition {
  return { ...picture, codecs: `${codec},${AUDIO_CODEC}`, track };
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
  video(SOURCE, "avc1.64001F", recordedTsTrack("ts-720p")),
  video(P360, "avc1.64001E", recordedTsTrack("ts-360p")),
  audioOnly(recordedTsTrack("ts-audio")),
]);

function mp4LadderOf(codec: string, ...sets: RecordedMp4Set[]): readonly Rendition[] {
  return [
    video(SOURCE, codec, recordedMp4Track(sets)),
    video(P480, "avc1.4D401F", recordedMp4Track(["fmp4-480p"])),
    audioOnly(recordedMp4Track(["fmp4-audio"])),
  ];
}

export const mp4Ladder = once(() => mp4LadderOf("avc1.64001F", "fmp4-720p"));

/** Consecutive ranges have init segments with different picture sizes and profiles. */
export const multiInitLadder = once(() => mp4LadderOf("avc1.64001F", "fmp4-720p", "fmp4-480p"));

export const hevcLadder = once(() => mp4LadderOf("hev1.1.6.L93.90", "fmp4-hevc"));

/** Without the source, which is withheld (`unavailable1440p`). */
export const publicLadder = once((): readonly Rendition[] => [
  video(
    { ...SOURCE, groupId: "720p60", name: "720p60", framesPerSecond: 60 },
    "avc1.4D401F",
    recordedTsTrack("ts-720p"),
  ),
  video(P360, "avc1.64001E", recordedTsTrack("ts-360p")),
  audioOnly(recordedTsTrack("ts-audio")),
]);

/** Landscape transcodes beside a vertical crop that is larger and marked as source. */
export const portraitLadder = once((): readonly Rendition[] => [
  video(
    {
      groupId: "1080p60-portrait",
      name: "1080p60-portrait",
      resolution: "1080x1920",
      framesPerSecond: 60,
    },
    "avc1.64002A",
    recordedTsTrack("ts-360p"),
  ),
  ...publicLadder(),
]);

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
    video(P480, "avc1.4D401F", syntheticTrack(smaller(6))),
    video(
      { ...SOURCE, name: "1080p60", resolution: "1920x1080", framesPerSecond: 60 },
      "avc1.64002A",
      syntheticTrack(options),
    ),
    audioOnly(syntheticTrack(smaller(40))),
  ];
}

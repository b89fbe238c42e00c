import { readFileSync } from "node:fs";
import type { MediaTrack } from "./media-track.ts";
import { parseTsTemplate, readTsTemplate, stampTs, type TsTemplate } from "./ts-template.ts";
import { readMp4Template, readTimescales, stampMp4 } from "./mp4-template.ts";
import { silenceMp4, silenceTs } from "./silence.ts";

/**
 * Real, playable media: a few base segments (see make-media.sh) repeated with shifted timestamps.
 * The base segments start at second 10 of an encode.
 */
const BASE_SEGMENTS = 2;
const SEGMENT_SEC = 10;
const BASE_START_SEC = 10;
const CYCLE_SEC = BASE_SEGMENTS * SEGMENT_SEC;
/**
 * The first audio frame is 16 ms before the first picture, and a fragment cannot start before 0.
 * This offset is a whole number of ticks of both clocks.
 */
const MP4_LEAD_IN_SEC = 0.05;
const TS_CLOCK_HZ = 90_000;
/** In fMP4 base sets, video is track 1 and audio track 2; the audio-only set has only track 1. */
const AUDIO_TRACK_ID = 2;

export type RecordedTsSet = "ts-720p" | "ts-360p" | "ts-audio";
export type RecordedMp4Set = "fmp4-720p" | "fmp4-480p" | "fmp4-hevc" | "fmp4-audio";

export function recordedTsTrack(set: RecordedTsSet): MediaTrack {
  const plain = range(BASE_SEGMENTS).map((part) => readTsTemplate(baseFile(set, `${part}.mpegts`)));
  const muted = plain.map((template) => parseTsTemplate(silenceTs(template.bytes)));
  return {
    container: "ts",
    bandwidthBps: bandwidthOf(plain.map((template) => template.bytes)),
    init: () => null,
    segment(place) {
      const template = pick(place.muted ? muted : plain, place.indexInRange);
      const cycle = Math.floor(place.indexInRange / BASE_SEGMENTS);
      const shiftSec = cycle * CYCLE_SEC - BASE_START_SEC;
      const counterShifts = template.pids.map((pid) => cycle * packetsPerCycle(plain, pid));
      return stampTs(template, shiftSec * TS_CLOCK_HZ, counterShifts);
    },
  };
}

/** Each init range uses the next set, so that parameters change between ranges. */
export function recordedMp4Track(sets: readonly RecordedMp4Set[]): MediaTrack {
  const loaded = sets.map((set) => {
    const init = readFileSync(baseFile(set, "init.mp4"));
    const plain = range(BASE_SEGMENTS).map((part) => readMp4Template(baseFile(set, `${part}.mp4`)));
    const soundTrack = set === "fmp4-audio" ? 1 : AUDIO_TRACK_ID;
    const muted = plain.map((template) => ({
      ...template,
      bytes: silenceMp4(template.bytes, soundTrack),
    }));
    return { init, timescales: readTimescales(init), plain, muted };
  });
  return {
    container: "fmp4",
    bandwidthBps: bandwidthOf(loaded.flatMap((set) => set.plain.map((template) => template.bytes))),
    init: (rangeIndex) => pick(loaded, rangeIndex).init,
    segment(place) {
      const set = pick(loaded, place.range);
      const template = pick(place.muted ? set.muted : set.plain, place.indexInRange);
      const cycle = Math.floor(place.indexInRange / BASE_SEGMENTS);
      const shiftSec = cycle * CYCLE_SEC - BASE_START_SEC + MP4_LEAD_IN_SEC;
      return stampMp4(template, set.timescales, shiftSec, place.indexInRange + 1);
    },
  };
}

function baseFile(set: string, name: string): URL {
  return new URL(`./base/${set}/${name}`, import.meta.url);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function pick<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new Error("a track needs at least one base segment");
  return item;
}

function packetsPerCycle(templates: readonly TsTemplate[], pid: number): number {
  return templates.reduce(
    (sum, template) => sum + (template.payloadPackets[template.pids.indexOf(pid)] ?? 0),
    0,
  );
}

function bandwidthOf(segments: readonly Buffer[]): number {
  const sizeBytes = Math.max(...segments.map((segment) => segment.byteLength));
  return Math.ceil((sizeBytes * 8) / SEGMENT_SEC);
}

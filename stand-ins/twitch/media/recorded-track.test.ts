import { expect, test } from "vitest";
import { readAll } from "../http/byte-source.ts";
import type { MediaTrack } from "./media-track.ts";
import { boxesIn, findBoxes, readTimescales } from "./mp4-template.ts";
import { recordedMp4Track, recordedTsTrack } from "./recorded-track.ts";
import { PACKET_BYTES, parseTsTemplate, payloadOffset, readStamp } from "./ts-template.ts";

function segmentBytes(track: MediaTrack, index: number, muted = false): Buffer {
  return readAll(track.segment({ index, indexInRange: index, range: 0, muted }));
}

test("continuity counters are consecutive across the segments of a transport stream", () => {
  const track = recordedTsTrack("ts-720p");
  const counters = new Map<number, number>();
  const jumps: string[] = [];
  for (let index = 0; index < 40; index += 1) {
    const bytes = segmentBytes(track, index, index % 5 === 0);
    for (let start = 0; start < bytes.byteLength; start += PACKET_BYTES) {
      if (payloadOffset(bytes, start) === null) {
        continue;
      }
      const pid = bytes.readUInt16BE(start + 1) & 0x1fff;
      const counter = bytes.readUInt8(start + 3) & 0x0f;
      const last = counters.get(pid);
      if (last !== undefined && counter !== ((last + 1) & 0x0f)) {
        jumps.push(`segment ${index} at ${start}, PID ${pid}: ${last} then ${counter}`);
      }
      counters.set(pid, counter);
    }
  }
  expect(jumps).toEqual([]);
  expect([...counters.keys()]).toEqual(expect.arrayContaining([0x000, 0x1000, 0x100, 0x101]));
});

test("segment n of a transport stream starts n times ten seconds after the first", () => {
  const track = recordedTsTrack("ts-360p");
  const firstStampSec = (index: number): number => {
    const { bytes, stampOffsets } = parseTsTemplate(segmentBytes(track, index));
    return Math.min(...stampOffsets.map((offset) => readStamp(bytes, offset))) / 90_000;
  };
  const start = firstStampSec(0);
  expect(start).toBeGreaterThan(0);
  expect(start).toBeLessThan(3);
  for (const index of [1, 2, 3, 7, 39, 719]) {
    // An audio frame may extend across the boundary.
    expect(Math.abs(firstStampSec(index) - start - index * 10)).toBeLessThan(0.05);
  }
});

test("the timestamps of a 48-hour transport stream wrap at 33 bits and stay readable", () => {
  const track = recordedTsTrack("ts-audio");
  const index = Math.ceil(2 ** 33 / 90_000 / 10) + 1;
  const { bytes, stampOffsets } = parseTsTemplate(segmentBytes(track, index));
  const stamps = stampOffsets.map((offset) => readStamp(bytes, offset));
  expect(Math.max(...stamps)).toBeLessThan(2 ** 33);
  expect(Math.min(...stamps) / 90_000).toBeLessThan(30);
});

test("fMP4 fragments are contiguous in both tracks", () => {
  const track = recordedMp4Track(["fmp4-720p"]);
  const init = track.init(0);
  const timescales = readTimescales(init === null ? Buffer.alloc(0) : readAll(init));
  expect([...timescales]).toEqual([
    [1, 15_360],
    [2, 32_000],
  ]);
  const expected = new Map<number, number>();
  const gaps: number[] = [];
  for (let index = 0; index < 40; index += 1) {
    const bytes = segmentBytes(track, index);
    for (const traf of findBoxes(bytes, ["moof", "traf"])) {
      const { trackId, startTicks, durationTicks } = readFragment(bytes, traf);
      const gapTicks = startTicks - (expected.get(trackId) ?? startTicks);
      gaps.push(gapTicks);
      expected.set(trackId, startTicks + durationTicks);
    }
  }
  expect(gaps).toEqual(gaps.map(() => 0));
  expect((expected.get(1) ?? 0) / 15_360).toBeCloseTo(400, 0);
  expect((expected.get(2) ?? 0) / 32_000).toBeCloseTo(400, 0);
});

function readFragment(
  bytes: Buffer,
  traf: { contentStart: number; end: number },
): { trackId: number; startTicks: number; durationTicks: number } {
  const children = new Map(
    [...boxesIn(bytes, traf.contentStart, traf.end)].map((box) => [box.type, box.contentStart]),
  );
  const tfhd = children.get("tfhd") ?? 0;
  const tfdt = children.get("tfdt") ?? 0;
  const trun = children.get("trun") ?? 0;
  const samples = bytes.readUInt32BE(trun + 4);
  const hasDurations = (bytes.readUInt32BE(trun) & 0x100) !== 0;
  // Default duration: the first field of these headers, which lack base offset and description.
  expect(hasDurations).toBe(false);
  return {
    trackId: bytes.readUInt32BE(tfhd + 4),
    startTicks: Number(bytes.readBigUInt64BE(tfdt + 4)),
    durationTicks: samples * bytes.readUInt32BE(tfhd + 8),
  };
}

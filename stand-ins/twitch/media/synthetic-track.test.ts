import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { readAll, sliceSource } from "../http/byte-source.ts";
import { boxesIn } from "./mp4-template.ts";
import { syntheticTrack } from "./synthetic-track.ts";

const shape = { vodId: "77", segmentDurationSec: 10 } as const;
const place = (
  index: number,
): { index: number; indexInRange: number; range: number; muted: boolean } => ({
  index,
  indexInRange: index,
  range: 0,
  muted: false,
});

test("a synthetic transport stream has whole packets, each with its sync byte", () => {
  const track = syntheticTrack({ ...shape, container: "ts", segmentSizeBytes: 3_000_000 });
  const bytes = readAll(track.segment(place(4)));
  expect(bytes.byteLength % 188).toBe(0);
  expect(bytes.byteLength).toBeGreaterThanOrEqual(3_000_000);
  expect(bytes.byteLength).toBeLessThan(3_000_188);
  const starts = Array.from({ length: bytes.byteLength / 188 }, (_, packet) => packet * 188);
  expect(starts.filter((start) => bytes[start] !== 0x47)).toEqual([]);
});

test("no two segments are alike, and neither are two megabytes of one", () => {
  const track = syntheticTrack({ ...shape, container: "ts", segmentSizeBytes: 8_000_000 });
  const digests = new Set<string>();
  for (let index = 0; index < 5; index += 1) {
    const segment = track.segment(place(index));
    for (let start = 0; start < segment.sizeBytes; start += 1_048_664) {
      const piece = readAll(sliceSource(segment, start, start + 1_048_664));
      digests.add(createHash("sha256").update(piece).digest("hex"));
    }
  }
  expect(digests.size).toBe(5 * 8);
});

test("the same segment has the same bytes, whole or in ranges, in every run", () => {
  const track = syntheticTrack({ ...shape, container: "ts", segmentSizeBytes: 2_500_000 });
  const segment = track.segment(place(1));
  const whole = readAll(segment);
  const cuts = [0, 1, 188, 1_048_665, 2_000_001, segment.sizeBytes];
  const parts = cuts
    .slice(1)
    .map((cut, index) => readAll(sliceSource(segment, cuts[index] ?? 0, cut)));
  expect(Buffer.concat(parts).equals(whole)).toBe(true);
  // Pinned: archives created by one version are compared with digests of another.
  expect(createHash("sha256").update(whole).digest("hex")).toMatchInlineSnapshot(
    `"2db0b7e26cb06387dcfb314c80b8eab2f1c22e6d1c2601131fe12372a0dc4cce"`,
  );
});

test("a synthetic fragment is styp, moof and mdat of exactly the size asked for", () => {
  const track = syntheticTrack({ ...shape, container: "fmp4", segmentSizeBytes: [100_000, 5_000] });
  for (const [index, sizeBytes] of [
    [0, 100_000],
    [1, 5_000],
    [2, 100_000],
  ] as const) {
    const bytes = readAll(track.segment(place(index)));
    expect(bytes.byteLength).toBe(sizeBytes);
    expect([...boxesIn(bytes, 0, bytes.byteLength)].map((box) => box.type)).toEqual([
      "styp",
      "moof",
      "mdat",
    ]);
  }
  const init = track.init(0);
  const bytes = init === null ? Buffer.alloc(0) : readAll(init);
  expect([...boxesIn(bytes, 0, bytes.byteLength)].map((box) => box.type)).toEqual(["ftyp", "moov"]);
});

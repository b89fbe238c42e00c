import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ByteRangeEntry, writeByteRangePlaylist } from "./byte-range-playlist.ts";
import { parseMediaPlaylist } from "./parse-media-playlist.ts";

const entry: ByteRangeEntry = {
  durationSec: 10,
  offset: 0,
  length: 188,
  init: null,
  startsDiscontinuity: false,
  isGap: false,
};

describe("the playlist of a stored object", () => {
  it("references byte ranges of the single object of an MPEG-TS VOD", () => {
    const text = writeByteRangePlaylist({
      objectUri: "u1.ts",
      targetDurationSec: 10,
      entries: [entry, { ...entry, offset: 188, length: 376, durationSec: 4.5 }],
    });
    expect(text).toBe(
      [
        "#EXTM3U",
        "#EXT-X-VERSION:4",
        "#EXT-X-TARGETDURATION:10",
        "#EXT-X-PLAYLIST-TYPE:VOD",
        "#EXT-X-MEDIA-SEQUENCE:0",
        "#EXTINF:10.000000,",
        "#EXT-X-BYTERANGE:188@0",
        "u1.ts",
        "#EXTINF:4.500000,",
        "#EXT-X-BYTERANGE:376@188",
        "u1.ts",
        "#EXT-X-ENDLIST",
        "",
      ].join("\n"),
    );
  });

  it("maps each init section of the object only where it changes", () => {
    const first = { offset: 0, length: 700 };
    const second = { offset: 2_000, length: 710 };
    const text = writeByteRangePlaylist({
      objectUri: "u1.mp4",
      targetDurationSec: 10,
      entries: [
        { ...entry, offset: 700, init: first },
        { ...entry, offset: 888, init: first },
        { ...entry, offset: 2_710, init: second, startsDiscontinuity: true },
      ],
    });
    expect(text.split("\n").filter((line) => /VERSION|MAP|DISCONT/.test(line))).toEqual([
      "#EXT-X-VERSION:6",
      '#EXT-X-MAP:URI="u1.mp4",BYTERANGE="700@0"',
      "#EXT-X-DISCONTINUITY",
      '#EXT-X-MAP:URI="u1.mp4",BYTERANGE="710@2000"',
    ]);
  });

  it("does not reference the object for a gap", () => {
    const text = writeByteRangePlaylist({
      objectUri: "u1.ts",
      targetDurationSec: 10,
      entries: [{ ...entry, length: 0, isGap: true }, entry],
    });
    expect(text).toContain("#EXT-X-VERSION:8");
    expect(text).toContain("#EXT-X-GAP\ngap.ts\n");
    expect(text.match(/u1\.ts/g)).toHaveLength(1);
  });

  it("does not repeat the init section after a gap between fragments", () => {
    const init = { offset: 0, length: 700 };
    const text = writeByteRangePlaylist({
      objectUri: "u1.mp4",
      targetDurationSec: 10,
      entries: [
        { ...entry, offset: 700, init },
        { ...entry, length: 0, isGap: true },
        { ...entry, offset: 888, init },
      ],
    });
    expect(text.match(/#EXT-X-MAP/g)).toHaveLength(1);
  });

  it.each([
    ["a name with a line break", { objectUri: "a\nb.ts", entries: [entry] }],
    ["a name with a quotation mark", { objectUri: 'a"b.ts', entries: [entry] }],
    ["an empty range", { objectUri: "a.ts", entries: [{ ...entry, length: 0 }] }],
    ["a negative offset", { objectUri: "a.ts", entries: [{ ...entry, offset: -1 }] }],
    [
      "a duration that is not a number",
      { objectUri: "a.ts", entries: [{ ...entry, durationSec: NaN }] },
    ],
    [
      "MPEG-TS after fragmented MP4",
      { objectUri: "a.ts", entries: [{ ...entry, init: { offset: 0, length: 9 } }, entry] },
    ],
  ])("cannot be written for %s", (_fault, { objectUri, entries }) => {
    expect(() => writeByteRangePlaylist({ objectUri, targetDurationSec: 10, entries })).toThrow(
      RangeError,
    );
  });

  it("is parsed back to the entries it was written from", () => {
    const unit = fc.record({
      durationMs: fc.integer({ min: 0, max: 86_400_000 }),
      length: fc.integer({ min: 1, max: 20_000_000 }),
      startsDiscontinuity: fc.boolean(),
      isGap: fc.boolean(),
      newInit: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(unit, { minLength: 1, maxLength: 50 }),
        fc.boolean(),
        (units, isFragmented) => {
          let atByte = 0;
          let init: ByteRangeEntry["init"] = null;
          const entries = units.map((one): ByteRangeEntry => {
            if (isFragmented && (init === null || one.newInit)) {
              init = { offset: atByte, length: 700 };
              atByte += 700;
            }
            const offset = atByte;
            atByte += one.isGap ? 0 : one.length;
            return {
              durationSec: one.durationMs / 1_000,
              offset,
              length: one.isGap ? 0 : one.length,
              init,
              startsDiscontinuity: one.startsDiscontinuity,
              isGap: one.isGap,
            };
          });
          const text = writeByteRangePlaylist({
            objectUri: "u.bin",
            targetDurationSec: 10,
            entries,
          });
          const parsed = parseMediaPlaylist(text, "https://files.example/vods/u.m3u8");
          expect(parsed.isEnded).toBe(true);
          for (const [index, written] of entries.entries()) {
            const found = parsed.segments[index];
            expect(found?.durationSec).toBe(written.durationSec);
            expect(found?.isGap).toBe(written.isGap);
            expect(found?.startsDiscontinuity).toBe(written.startsDiscontinuity);
            if (written.isGap) continue;
            expect(found?.url).toBe("https://files.example/vods/u.bin");
            expect(found?.byteRange).toEqual({ offset: written.offset, length: written.length });
            const foundInit = parsed.inits[found?.initIndex ?? -1]?.byteRange ?? null;
            expect(foundInit).toEqual(written.init);
          }
          expect(parsed.segments).toHaveLength(entries.length);
        },
      ),
    );
  });
});

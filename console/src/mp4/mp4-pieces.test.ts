import { expect, test } from "vitest";
import {
  writeByteRangePlaylist,
  type ByteRangeEntry,
} from "#service/source/byte-range-playlist.ts";
import { piecesOf } from "./mp4-pieces.ts";

const WHOLE = { startSec: 0, endSec: Infinity };

function playlistOf(entries: readonly Partial<ByteRangeEntry>[]): string {
  let offset = 0;
  return writeByteRangePlaylist({
    objectUri: "video.ts",
    targetDurationSec: 10,
    entries: entries.map((some) => {
      const entry = {
        durationSec: 10,
        offset,
        length: 100,
        init: null,
        startsDiscontinuity: false,
        isGap: false,
        ...some,
      };
      offset = entry.isGap ? offset : entry.offset + entry.length;
      return entry;
    }),
  });
}

test("consecutive segments form one piece, also across a missing segment", () => {
  expect(piecesOf(playlistOf([{}, {}, { isGap: true }, {}]), WHOLE)).toEqual([
    { range: { offset: 0, length: 300 }, init: null, startSec: 0 },
  ]);
});

test("a discontinuity starts a new piece at its time in the playlist", () => {
  const playlist = playlistOf([{}, { isGap: true, startsDiscontinuity: true }, {}]);
  expect(piecesOf(playlist, WHOLE)).toEqual([
    { range: { offset: 0, length: 100 }, init: null, startSec: 0 },
    { range: { offset: 100, length: 100 }, init: null, startSec: 20 },
  ]);
});

test("each init section starts a new piece that begins after it", () => {
  const one = { offset: 0, length: 50 };
  const two = { offset: 250, length: 60 };
  const entries = [{ init: one, offset: 50 }, { init: one }, { init: two, offset: 310 }];
  expect(piecesOf(playlistOf(entries), WHOLE)).toEqual([
    { range: { offset: 50, length: 200 }, init: one, startSec: 0 },
    { range: { offset: 310, length: 100 }, init: two, startSec: 20 },
  ]);
});

test("a span includes every segment that it touches", () => {
  const pieces = piecesOf(playlistOf([{}, {}, {}, {}]), { startSec: 19, endSec: 30 });
  expect(pieces).toEqual([{ range: { offset: 100, length: 200 }, init: null, startSec: 10 }]);
});

test("a text without stored segments is rejected", () => {
  expect(() => piecesOf("<html>", WHOLE)).toThrow(RangeError);
});

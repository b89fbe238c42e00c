import * as fc from "fast-check";
import { expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { NAUGHTY_STRINGS } from "#service/testing/naughty-strings.ts";
import {
  channelFolder,
  DISTINCTIONS,
  episodeOf,
  episodePath,
  type LibraryVideo,
} from "./library-path.ts";
import { episodeNfo } from "./nfo.ts";

const VIDEO: LibraryVideo = {
  key: objectKeySchema.parse("vods/1/2/0123456789ab.ts"),
  itemId: "2000000003",
  title: "Sunrise approach, then coffee",
  recordedAt: "2026-01-05T07:08:09.000Z",
  durationSec: 100,
  channel: { id: "1", login: "pixelpilot", displayName: "PixelPilot", profileImageUrl: null },
  chapters: [],
  isMuted: false,
};
const START = "Season 2026/s2026.e01050708 - ";
const END = " [v2000000003]";

test.each([
  ["Sunrise approach, then coffee", "Sunrise approach, then coffee"],
  ["S01E05 rewatch", "S01,E05 rewatch"],
  ["s2026.e01010000 E99", "s2026,.e01010000 E99"],
  ["day 3: S1 x E5 / ſ1e2", "day 3_ S1, x E5 _ ſ1,e2"],
  ["1x05-E06 in 1920X1080", "1,x05-E06 in 1920,X1080"],
  ["free sample", "free sample,"],
  ["the sample - trailer-trailer", "the sample, - trailer-,trailer"],
  ["100%25 %2F 7%", "100%,25 %,2F 7%"],
  ["a\r\nb\u202e ...", "a b"],
  ["..", "_"],
  ["CON", "_CON"],
])("%j is named %j", (title, name) => {
  expect(episodePath({ ...VIDEO, title }, "minute")).toBe(START + name + END);
});

test("no title leads out of the folder, is too long, or reads as another episode", () => {
  const title = fc.oneof(
    fc.constantFrom(...NAUGHTY_STRINGS),
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.array(
      fc.constantFrom("S01", "e05", "1x2", ".", " ", "-", "x", "sample", "trailer", "🦰", "/"),
      {
        maxLength: 60,
      },
    ),
  );
  fc.assert(
    fc.property(title, fc.constantFrom(...DISTINCTIONS), (given, by) => {
      const path = episodePath({ ...VIDEO, title: [given].flat().join("") }, by);
      const [season = "", stem = "", ...rest] = path.split("/");
      expect([season, rest]).toEqual(["Season 2026", []]);
      expect(Buffer.byteLength(`${stem}-thumb.webp`)).toBeLessThanOrEqual(143);
      expect(stem).not.toMatch(/[<>:"\\|?*\p{Cc}\p{Cs}]/u);
      expect(stem.match(/s[0-9]+[ ._x-]*e[0-9]+/giu)).toEqual([
        `s2026.e${episodeOf(VIDEO.recordedAt, by).tag}`,
      ]);
      expect(stem).not.toMatch(/%[0-9a-f]{2}|[0-9]x[0-9]|-trailer|[!-._ \\/]sample[-._ \\/]/iu);
    }),
  );
});

test("a channel's folder has a name on every system, and another for another channel of that name", () => {
  expect(channelFolder(VIDEO.channel, false)).toBe("PixelPilot");
  expect(channelFolder(VIDEO.channel, true)).toBe("PixelPilot (1)");
  expect(channelFolder({ ...VIDEO.channel, displayName: "s1e2 / 게임" }, false)).toBe(
    "s1,e2 _ 게임",
  );
  expect(channelFolder({ ...VIDEO.channel, displayName: " " }, false)).toBe("pixelpilot");
});

test("an NFO holds the title in full, and nothing that XML cannot", () => {
  const nfo = episodeNfo(
    {
      ...VIDEO,
      title: "S01E05\r\n<b>&\u0000\u001b\uffff\ud800",
      chapters: [
        { startSec: 0, title: "Chess" },
        { startSec: 3_725, title: "Go" },
      ],
      isMuted: true,
    },
    "second",
  );
  expect(nfo).toContain("<title>S01E05 &lt;b&gt;&amp;</title>");
  expect(nfo).toContain("<episode>105070809</episode>");
  expect(nfo).toContain("videos/2000000003\n0:00:00 Chess\n1:02:05 Go</plot>");
  expect(nfo).toContain("<runtime>2</runtime>");
  expect(nfo).toContain("<genre>Chess</genre>\n  <genre>Go</genre>\n  <tag>muted</tag>");
});

test("an NFO names a video whose title is invisible by its number", () => {
  const nfo = episodeNfo({ ...VIDEO, title: "\u200b \u202e" }, "second");
  expect(nfo).toContain(`<title>v${VIDEO.itemId}</title>`);
});

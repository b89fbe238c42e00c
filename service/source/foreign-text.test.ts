import { expect, it } from "vitest";
import { elements, elementText } from "#hosts/node/s3-store/s3-xml.ts";
import { parseGoDuration } from "#service/twitch/describe-video.ts";
import { parseVodReference } from "#service/twitch/parse-vod-reference.ts";
import { parseAttributeList } from "./attribute-list.ts";
import { parseMasterPlaylist } from "./master-playlist.ts";
import { parseMediaPlaylist } from "./parse-media-playlist.ts";
import { readRetryAfterMs } from "./retry-after.ts";

const ADDRESS = "https://vods.example/1/index.m3u8";

const media = (line: string) => parseMediaPlaylist(`#EXTM3U\n${line}\nsegment.ts\n`, ADDRESS);
const master = (line: string) => parseMasterPlaylist(`#EXTM3U\n${line}\nindex.m3u8\n`, ADDRESS);

/** Every parser of text from outside, each with the beginnings that lead to its parts. */
const PARSERS: readonly (readonly [
  parse: (text: string) => unknown,
  beginnings: readonly string[],
])[] = [
  [parseAttributeList, ["", "A=", 'A="', "A=b,"]],
  [media, ["", "#EXT-X-KEY:METHOD=", "#EXT-X-MAP:URI=", "#EXTINF:", "#EXT-X-BYTERANGE:"]],
  [master, ["", "#EXT-X-STREAM-INF:A=", "#EXT-X-SESSION-DATA:A=", "#EXT-X-MEDIA:A="]],
  [(text) => elements(text, "Key"), ["", "<Key", "<Key ", "<Key>"]],
  [(text) => elementText(`<Key>${text}</Key>`, "Key"), ["", "&", "&#x", "&#"]],
  [parseGoDuration, ["", "1h"]],
  [parseVodReference, ["", "https://www.twitch.tv/videos/"]],
  [(text) => readRetryAfterMs(new Headers({ "retry-after": text }), 0), ["", "Mon, "]],
];

const TROUBLESOME = [
  " ",
  "\t",
  ",",
  '"',
  "=",
  "<",
  ">",
  "/",
  "&",
  "1",
  "a",
  "a,",
  "<Key>",
  "<Key ",
];

/** In quadratic time, a text of this size takes minutes. */
const LENGTH = 1_000_000;

it("a megabyte of any character is parsed in linear time", () => {
  const startedMs = performance.now();
  for (const [parse, beginnings] of PARSERS)
    for (const beginning of beginnings)
      for (const piece of TROUBLESOME)
        for (const end of ["", '"', "\0"]) {
          const text = beginning + piece.repeat(LENGTH / piece.length) + end;
          try {
            parse(text);
          } catch {
            // Refusing such a text is right, too.
          }
        }
  expect(performance.now() - startedMs).toBeLessThan(60_000);
});

it("a stray quote after spaces ends an attribute list", () => {
  expect([...parseAttributeList('A=1 , B="x, y" ,C= z  ,D=   "E=1')]).toEqual([
    ["A", "1"],
    ["B", "x, y"],
    ["C", "z"],
  ]);
});

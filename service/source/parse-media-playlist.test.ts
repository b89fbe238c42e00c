import process from "node:process";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SourceError } from "./source-error.ts";
import type { MediaPlaylist } from "./media-playlist.ts";
import { parseMediaPlaylist } from "./parse-media-playlist.ts";

const playlistUrl = "https://d1.cloudfront.net/abc_streamer_1_2/chunked/index-dvr.m3u8";
const folder = "https://d1.cloudfront.net/abc_streamer_1_2/chunked/";

function playlist(...lines: readonly string[]): string {
  return ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:10", ...lines, ""].join("\n");
}

function read(...lines: readonly string[]) {
  return parseMediaPlaylist(playlist(...lines), playlistUrl);
}

/** The parsed playlist or the SourceError; any other error fails the test. */
function outcomeOf(text: string): MediaPlaylist | SourceError {
  try {
    return parseMediaPlaylist(text, playlistUrl);
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
}

function refusalOf(text: string): SourceError {
  const outcome = outcomeOf(text);
  if (outcome instanceof SourceError) return outcome;
  throw new Error("The playlist was accepted");
}

describe("a playlist in Twitch's format", () => {
  it("lists the segments of a growing MPEG-TS recording", () => {
    const parsed = read(
      "#ID3-EQUIV-TDTG:2024-12-29T23:36:07",
      "#EXT-X-PLAYLIST-TYPE:EVENT",
      "#EXT-X-MEDIA-SEQUENCE:0",
      "#EXT-X-TWITCH-TOTAL-SECS:16.500",
      "#EXTINF:10.000,",
      "0.ts",
      "#EXTINF:6.500,",
      "1.ts",
    );
    expect(parsed.isEnded).toBe(false);
    expect(parsed.inits).toEqual([]);
    expect(parsed.targetDurationSec).toBe(10);
    expect(parsed.segments).toEqual([
      segment(0, `${folder}0.ts`, 10),
      segment(1, `${folder}1.ts`, 6.5),
    ]);
  });

  it("accepts CRLF line endings, a byte order mark and blank lines", () => {
    const text = `\uFEFF${playlist("#EXTINF:10.000,", "", "0.ts", "#EXT-X-ENDLIST")}`;
    expect(parseMediaPlaylist(text.replaceAll("\n", "\r\n"), playlistUrl)).toEqual(
      read("#EXTINF:10.000,", "0.ts", "#EXT-X-ENDLIST"),
    );
  });

  it("assigns each fragment the latest init section, including one used before", () => {
    const parsed = read(
      '#EXT-X-MAP:URI="init-0.mp4"',
      "#EXTINF:10,",
      "0.mp4",
      '#EXT-X-MAP:URI="init-0.mp4"',
      "#EXTINF:10,",
      "1.mp4",
      "#EXT-X-DISCONTINUITY",
      '#EXT-X-MAP:URI="init-1.mp4",BYTERANGE="700@20"',
      "#EXTINF:10,",
      "2.mp4",
      '#EXT-X-MAP:URI="init-0.mp4"',
      "#EXTINF:10,",
      "3.mp4",
      "#EXT-X-ENDLIST",
    );
    expect(parsed.inits).toEqual([
      { url: `${folder}init-0.mp4`, byteRange: null },
      { url: `${folder}init-1.mp4`, byteRange: { offset: 20, length: 700 } },
      { url: `${folder}init-0.mp4`, byteRange: null },
    ]);
    expect(parsed.segments.map((one) => one.initIndex)).toEqual([0, 0, 1, 2]);
    expect(parsed.segments.map((one) => one.startsDiscontinuity)).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it("replaces an -unmuted segment with its -muted variant", () => {
    const parsed = read("#EXTINF:10,", "0-unmuted.ts", "#EXTINF:10,", "1-muted.mp4");
    expect(parsed.segments.map(({ url, isMuted }) => [url, isMuted])).toEqual([
      [`${folder}0-muted.ts`, true],
      [`${folder}1-muted.mp4`, true],
    ]);
  });

  it("marks segments that the source declares as gaps", () => {
    const parsed = read("#EXTINF:10,", "#EXT-X-GAP", "0.ts", "#EXTINF:10,", "1.ts");
    expect(parsed.segments.map((one) => one.isGap)).toEqual([true, false]);
  });

  it("continues a byte range without an offset at the end of the previous one", () => {
    const parsed = read(
      "#EXT-X-BYTERANGE:376@188",
      "#EXTINF:10,",
      "0.ts",
      "#EXT-X-BYTERANGE:188",
      "#EXTINF:10,",
      "0.ts",
    );
    expect(parsed.segments.map((one) => one.byteRange)).toEqual([
      { offset: 188, length: 376 },
      { offset: 564, length: 188 },
    ]);
  });

  it("converts start_offset and end_offset parameters to byte ranges of the file", () => {
    const parsed = read(
      "#EXTINF:4,",
      "index-0000000029-JTvg.ts?start_offset=0&end_offset=1937903",
      "#EXTINF:4,",
      "index-0000000029-JTvg.ts?start_offset=1937904&end_offset=1938091",
    );
    expect(parsed.segments.map(({ url, byteRange }) => [url, byteRange])).toEqual([
      [`${folder}index-0000000029-JTvg.ts`, { offset: 0, length: 1_937_904 }],
      [`${folder}index-0000000029-JTvg.ts`, { offset: 1_937_904, length: 188 }],
    ]);
  });

  it("keeps a segment that is listed twice", () => {
    expect(read("#EXTINF:10,", "0.ts", "#EXTINF:10,", "0.ts").segments).toHaveLength(2);
  });

  it("raises a target duration that is shorter than a segment", () => {
    expect(read("#EXTINF:12.700,", "0.ts").targetDurationSec).toBe(13);
  });

  it("accepts a recording without segments", () => {
    expect(read().segments).toEqual([]);
  });
});

describe("an ambiguous or unsafe playlist", () => {
  it.each([
    ["a segment on another host", ["#EXTINF:10,", "https://evil.example/0.ts"]],
    ["a segment on another port", ["#EXTINF:10,", "https://d1.cloudfront.net:8443/0.ts"]],
    ["a segment without encryption", ["#EXTINF:10,", "http://d1.cloudfront.net/0.ts"]],
    ["a scheme-relative segment URL on another host", ["#EXTINF:10,", "//169.254.169.254/latest"]],
    ["a segment with a file: URL", ["#EXTINF:10,", "file:///etc/passwd"]],
    ["a segment with a data: URL", ["#EXTINF:10,", "data:video/mp2t,G"]],
    ["credentials in a segment's URL", ["#EXTINF:10,", "https://a:b@d1.cloudfront.net/0.ts"]],
    ["backslashes instead of slashes", ["#EXTINF:10,", "\\\\evil.example\\0.ts"]],
    ["an init section on another host", ['#EXT-X-MAP:URI="https://evil.example/i"']],
    ["an init section without a URL", ['#EXT-X-MAP:BYTERANGE="1@0"']],
    ["a negative duration", ["#EXTINF:-10,", "0.ts"]],
    ["a duration that is not a number", ["#EXTINF:NaN,", "0.ts"]],
    ["an infinite duration", ["#EXTINF:Infinity,", "0.ts"]],
    ["a duration of years", ["#EXTINF:99999999,", "0.ts"]],
    ["a duration in exponential notation", ["#EXTINF:1e3,", "0.ts"]],
    ["no duration", ["0.ts"]],
    ["encrypted segments", ['#EXT-X-KEY:METHOD=AES-128,URI="key"', "#EXTINF:10,", "0.ts"]],
    ["an empty byte range", ["#EXT-X-BYTERANGE:0@0", "#EXTINF:10,", "0.ts"]],
    ["a non-numeric byte range", ["#EXT-X-BYTERANGE:all", "#EXTINF:10,", "0.ts"]],
    [
      "a byte range without an offset or a previous range",
      ["#EXT-X-BYTERANGE:188", "#EXTINF:10,", "0.ts"],
    ],
    [
      "a byte range without an offset after one of another file",
      ["#EXT-X-BYTERANGE:9@0", "#EXTINF:1,", "a.ts", "#EXT-X-BYTERANGE:9", "#EXTINF:1,", "b.ts"],
    ],
    ["an end offset before the start offset", ["#EXTINF:4,", "a.ts?start_offset=9&end_offset=3"]],
    ["a master playlist", ["#EXT-X-STREAM-INF:BANDWIDTH=1", "1.m3u8"]],
    ["key frames only", ["#EXT-X-I-FRAMES-ONLY", "#EXTINF:10,", "0.ts"]],
    ["a playlist that leaves segments out", ["#EXT-X-SKIP:SKIPPED-SEGMENTS=3"]],
    ["variables", ['#EXT-X-DEFINE:NAME="x",VALUE="y"', "#EXTINF:10,", "{$x}.ts"]],
    ["an end without any segment", ["#EXT-X-ENDLIST"]],
  ])("is rejected: %s", (_fault, lines) => {
    const refusal = refusalOf(playlist(...lines));
    expect(refusal.failureClass).toBe("source_corrupt");
    expect(refusal.message).toMatch(/^(Line \d+ of the playlist|The playlist) .+\.$/);
  });

  it("keeps segments on its host when .. leaves the folder", () => {
    expect(read("#EXTINF:10,", "../../../../0.ts").segments[0]?.url).toBe(
      "https://d1.cloudfront.net/0.ts",
    );
  });

  it.each([
    ["an empty text", ""],
    ["a web page", "<!doctype html><title>Sorry</title>"],
    ["JSON", '[{"error":"x"}]'],
    ["a playlist without its header", "#EXTINF:10,\n0.ts\n"],
    ["a playlist that ends before a segment's URL", playlist("#EXTINF:10.000,")],
  ])("is classified as try_later: %s", (_what, text) => {
    expect(refusalOf(text).failureClass).toBe("try_later");
  });

  it("is rejected above 10 MB", () => {
    expect(refusalOf(`#EXTM3U\n${"#".repeat(10 * 1024 * 1024)}`).message).toContain("10 MB");
  });

  it("is rejected with more segments than any VOD has", () => {
    const text = `#EXTM3U\n${"#EXTINF:1,\n0.ts\n".repeat(172_801)}`;
    expect(refusalOf(text).message).toContain("more than any VOD has");
  });

  it.each(["#EXTINF:1,\n0.ts\n", '#EXT-X-MAP:URI="0"\n#EXT-X-MAP:URI="1"\n'])(
    "is rejected when its addresses would be much larger than its text: %j",
    (lines) => {
      const longUrl = `https://media.test/${"a".repeat(2_000)}/index.m3u8`;
      expect(() => parseMediaPlaylist(`#EXTM3U\n${lines.repeat(21_000)}`, longUrl)).toThrow(
        "MB of addresses",
      );
    },
  );
});

it("parses 20,000 segments in less than a second of CPU time", () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `#EXTINF:10.000,\n${index}-muted.ts`);
  const before = process.cpuUsage();
  expect(read(...lines, "#EXT-X-ENDLIST").segments).toHaveLength(20_000);
  expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
});

describe("for arbitrary input", () => {
  const tag = fc.constantFrom(
    "#EXTM3U",
    "#EXTINF:10.000,",
    "#EXTINF:",
    "#EXT-X-BYTERANGE:1@2",
    "#EXT-X-BYTERANGE:",
    '#EXT-X-MAP:URI="i.mp4"',
    "#EXT-X-MAP",
    "#EXT-X-KEY:METHOD=NONE",
    "#EXT-X-ENDLIST",
    "#EXT-X-DISCONTINUITY",
    "0.ts",
    "0.ts?start_offset=1&end_offset=2",
    "http://[",
    "#",
  );
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.oneof(tag, fc.string()), { maxLength: 30 }).map((lines) => lines.join("\n")),
    fc
      .array(fc.oneof(tag, fc.string()), { maxLength: 30 })
      .map((lines) => `#EXTM3U\n${lines.join("\n")}`),
  );

  it("the parser returns a playlist or throws a SourceError, and never leaves the host", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = outcomeOf(text);
        if (parsed instanceof SourceError) return;
        for (const one of [...parsed.segments, ...parsed.inits])
          expect(new URL(one.url).origin).toBe("https://d1.cloudfront.net");
        for (const one of parsed.segments)
          expect(Number.isFinite(one.durationSec) && one.durationSec >= 0).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("the parser returns exactly the segments and init sections that were written", () => {
    const unit = fc.record({
      durationMs: fc.integer({ min: 0, max: 60_000 }),
      isGap: fc.boolean(),
      isMuted: fc.boolean(),
      startsDiscontinuity: fc.boolean(),
      init: fc.constantFrom(null, "a", "b"),
    });
    fc.assert(
      fc.property(fc.array(unit, { minLength: 1, maxLength: 40 }), (units) => {
        const lines: string[] = [];
        const expected: string[] = [];
        let inits = 0;
        let lastInit: string | null = null;
        for (const [index, one] of units.entries()) {
          if (one.startsDiscontinuity) lines.push("#EXT-X-DISCONTINUITY");
          if (one.init !== null) {
            lines.push(`#EXT-X-MAP:URI="${one.init}.mp4"`);
            if (one.init !== lastInit) inits += 1;
            lastInit = one.init;
          }
          if (one.isGap) lines.push("#EXT-X-GAP");
          const name = `${index}${one.isMuted ? "-muted" : ""}.ts`;
          lines.push(`#EXTINF:${(one.durationMs / 1_000).toFixed(3)},`, name);
          expected.push(
            [
              index,
              folder + name,
              one.durationMs / 1_000,
              inits === 0 ? null : inits - 1,
              one.startsDiscontinuity,
              one.isGap,
              one.isMuted,
            ].join(" "),
          );
        }
        const parsed = read(...lines, "#EXT-X-ENDLIST");
        expect(parsed.inits).toHaveLength(inits);
        expect(
          parsed.segments.map((one) =>
            [
              one.index,
              one.url,
              one.durationSec,
              one.initIndex,
              one.startsDiscontinuity,
              one.isGap,
              one.isMuted,
            ].join(" "),
          ),
        ).toEqual(expected);
      }),
    );
  });
});

function segment(index: number, url: string, durationSec: number) {
  return {
    index,
    url,
    durationSec,
    byteRange: null,
    initIndex: null,
    startsDiscontinuity: false,
    isGap: false,
    isMuted: false,
  };
}

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SourceError } from "./source-error.ts";
import { parseAttributeList } from "./attribute-list.ts";
import { parseMasterPlaylist } from "./master-playlist.ts";
import { chooseRendition } from "./rendition-choice.ts";

const masterUrl = "https://usher.ttvnw.net/vod/v2/1.m3u8";
const base = "https://d1.cloudfront.net/abc";

const v1 = `#EXTM3U
#EXT-X-TWITCH-INFO:ORIGIN="s3",B="false",USER-IP="1.2.3.4",CLUSTER="cloudfront_vod"

#EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="audio_only",NAME="Audio Only",AUTOSELECT=NO,DEFAULT=NO
#EXT-X-STREAM-INF:BANDWIDTH=220328,CODECS="mp4a.40.2",VIDEO="audio_only"
${base}/audio_only/index-dvr.m3u8
#EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="720p60",NAME="720p60",AUTOSELECT=YES,DEFAULT=YES
#EXT-X-STREAM-INF:BANDWIDTH=3428000,CODECS="avc1.4D0020,mp4a.40.2",RESOLUTION=1280x720,VIDEO="720p60",FRAME-RATE=59.981
${base}/720p60/index-dvr.m3u8
#EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="chunked",NAME="1080p60",AUTOSELECT=NO,DEFAULT=NO
#EXT-X-STREAM-INF:BANDWIDTH=8440571,CODECS="avc1.640032,mp4a.40.2",RESOLUTION=1920x1080,VIDEO="chunked",FRAME-RATE=60.000
${base}/chunked/index-dvr.m3u8
`;

const withheld = btoa(
  JSON.stringify([
    {
      NAME: "1440p60",
      CODECS: "hev1.1.2.L150",
      AUTHORIZATION_REASONS: ["AUTHZ_NOT_LOGGED_IN"],
      FILTER_REASONS: [],
    },
    { NAME: "2160p60", AUTHORIZATION_REASONS: ["AUTHZ_GEO"] },
    { "STABLE-VARIANT-ID": "1080p" },
  ]),
);

const v2 = `#EXTM3U
#EXT-X-SESSION-DATA:DATA-ID="com.amazon.ivs.unavailable-media",VALUE="${withheld}"
#EXT-X-STREAM-INF:BANDWIDTH=288000,CODECS="mp4a.40.2",STABLE-VARIANT-ID="audio_only",IVS-NAME="audio_only",IVS-VARIANT-SOURCE="source"
${base}/audio_only/index-dvr.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=9000000,CODECS="avc1.640032,mp4a.40.2",RESOLUTION=1080x1920,FRAME-RATE=60.000,STABLE-VARIANT-ID="1080p60-portrait",IVS-GROUPS="portrait",IVS-VARIANT-SOURCE="source"
${base}/1080p60-portrait/index-dvr.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=1400000,CODECS="avc1.4D401F,mp4a.40.2",RESOLUTION=852x480,FRAME-RATE=29.998,STABLE-VARIANT-ID="480p",IVS-GROUPS="landscape",IVS-VARIANT-SOURCE="transcode"
${base}/480p30/index-dvr.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=8440571,CODECS="avc1.640032,mp4a.40.2",RESOLUTION=1920x1080,FRAME-RATE=59.995,STABLE-VARIANT-ID="1080p60",IVS-NAME="1080p60",IVS-GROUPS="landscape",IVS-VARIANT-SOURCE="source"
${base}/chunked/index-dvr.m3u8
`;

function listOf(...variants: readonly string[]) {
  const lines = variants.map((one, index) => `#EXT-X-STREAM-INF:${one}\n${base}/r${index}/i.m3u8`);
  return parseMasterPlaylist(`#EXTM3U\n${lines.join("\n")}\n`, masterUrl);
}

function namesIn(text: string): readonly string[] {
  return parseMasterPlaylist(text, masterUrl).renditions.map((one) => one.name);
}

/** Whether the parser either returns a list or throws a SourceError. */
function isTotal(text: string): boolean {
  try {
    return parseMasterPlaylist(text, masterUrl).renditions.length >= 0;
  } catch (error) {
    return error instanceof SourceError;
  }
}

describe("a master playlist", () => {
  it("is parsed in its first version, which names renditions in EXT-X-MEDIA groups", () => {
    const master = parseMasterPlaylist(v1, masterUrl);
    expect(master.renditions.map((one) => one.name)).toEqual(["audio_only", "720p60", "chunked"]);
    expect(chooseRendition(master, "best")).toMatchObject({
      name: "chunked",
      playlistUrl: `${base}/chunked/index-dvr.m3u8`,
      bandwidthBitsPerSec: 8_440_571,
      codecs: "avc1.640032,mp4a.40.2",
      resolution: "1920x1080",
      framesPerSec: 60,
    });
    expect(master.withheld).toEqual([]);
  });

  it("is parsed in its second version, which has no groups", () => {
    const master = parseMasterPlaylist(v2.replaceAll("\n", "\r\n"), masterUrl);
    expect(chooseRendition(master, "best")).toMatchObject({
      name: "chunked",
      framesPerSec: 59.995,
    });
  });

  it("gives the source rendition the same name in both versions", () => {
    expect(namesIn(v2)).toEqual(["audio_only", "1080p60-portrait", "480p30", "chunked"]);
    expect(namesIn(v1).at(-1)).toBe(namesIn(v2).at(-1));
  });

  it("lists withheld renditions, with their reasons if given", () => {
    expect(parseMasterPlaylist(v2, masterUrl).withheld).toEqual([
      { label: "1440p60", reason: "sign_in", resolution: null, framesPerSec: null },
      { label: "2160p60", reason: "region", resolution: null, framesPerSec: null },
      { label: "1080p", reason: "unstated", resolution: null, framesPerSec: null },
    ]);
  });

  it.each([
    ["not Base64", "%%%"],
    ["not JSON", btoa("no")],
    ["an unexpected shape", btoa("[1]")],
  ])("is parsed despite an invalid report of withheld renditions: %s", (_fault, value) => {
    const text = v2.replace(withheld, value);
    expect(parseMasterPlaylist(text, masterUrl)).toMatchObject({ withheld: [] });
  });

  it.each([
    ["empty", "#EXTM3U\n", "source_corrupt"],
    ["a media playlist", "#EXTM3U\n#EXTINF:10,\n0.ts\n", "source_corrupt"],
    ["a web page", "<html>", "try_later"],
    [
      "sound in a playlist of its own",
      v2.replace("\n", '\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="a.m3u8"\n'),
      "source_corrupt",
    ],
    [
      "an invalid rendition URL",
      "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://[\n",
      "source_corrupt",
    ],
  ])("is rejected: %s", (_fault, text, failureClass) => {
    expect(() => parseMasterPlaylist(text, masterUrl)).toThrow(
      expect.objectContaining({ failureClass }),
    );
  });

  it("never makes the parser throw anything but a SourceError", () => {
    const line = fc.oneof(
      fc.constantFrom("#EXT-X-STREAM-INF:", "#EXT-X-SESSION-DATA:VALUE=", "a.m3u8", "http://["),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        expect(isTotal(`#EXTM3U\n${lines.join("\n")}`)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("the source rendition", () => {
  it("has the highest resolution and frame rate when none is marked", () => {
    const list = listOf(
      "BANDWIDTH=1,RESOLUTION=640x360",
      "BANDWIDTH=2,RESOLUTION=1920x1080,FRAME-RATE=30",
      "BANDWIDTH=1,RESOLUTION=1920x1080,FRAME-RATE=60",
    );
    expect(chooseRendition(list, "best").name).toBe("r2");
  });

  it("is never audio, even when only audio is marked as source", () => {
    const list = listOf(
      'BANDWIDTH=9,CODECS="mp4a.40.2",IVS-VARIANT-SOURCE="source"',
      'BANDWIDTH=1,CODECS="avc1.4D401F,mp4a.40.2"',
    );
    expect(chooseRendition(list, "best").name).toBe("r1");
  });

  it("is missing when there is only audio", () => {
    const list = listOf('BANDWIDTH=9,CODECS="mp4a.40.2",VIDEO="audio_only"');
    expect(() => chooseRendition(list, "best")).toThrow("no rendition with video");
  });

  it("requires an entitlement when all video renditions are withheld", () => {
    const list = {
      ...listOf('BANDWIDTH=9,CODECS="mp4a.40.2",VIDEO="audio_only"'),
      withheld: [
        { label: "1080p60", reason: "sign_in", resolution: null, framesPerSec: null } as const,
      ],
    };
    expect(() => chooseRendition(list, "best")).toThrow(
      expect.objectContaining({ failureClass: "needs_entitlement" }),
    );
  });
});

describe("a malicious master playlist", () => {
  it("yields fewer than 400 withheld renditions, however many it lists", () => {
    const line = `#EXT-X-SESSION-DATA:DATA-ID="com.amazon.ivs.unavailable-media",VALUE="${withheld}"\n`;
    const count = Math.floor((1024 * 1024 - v1.length) / line.length);
    const list = parseMasterPlaylist(v1 + line.repeat(count), masterUrl);
    expect(list.renditions).toHaveLength(3);
    expect(list.withheld.length).toBeLessThan(400);
  });

  it("is rejected above 1 MB", () => {
    const text = `${v1}${"#".repeat(1024 * 1024)}`;
    expect(() => parseMasterPlaylist(text, masterUrl)).toThrow("larger than 1 MB");
  });

  it.each(["CODECS", "RESOLUTION"])("is rejected with a %s of more than 200 characters", (name) => {
    expect(() => listOf(`BANDWIDTH=1,${name}="${"x".repeat(201)}"`)).toThrow(
      `a rendition whose ${name} has more than 200 characters`,
    );
  });

  it("is rejected with an overlong rendition URL", () => {
    const text = `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${base}/${"x".repeat(2_048)}/i.m3u8\n`;
    expect(() => parseMasterPlaylist(text, masterUrl)).toThrow("no readable address");
  });
});

describe("an attribute list", () => {
  it("keeps commas and equals signs inside quotes", () => {
    expect([...parseAttributeList('A=1, B="x,y=z",C=2x3')]).toEqual([
      ["A", "1"],
      ["B", "x,y=z"],
      ["C", "2x3"],
    ]);
  });

  it("is parsed back to the attributes it was written from", () => {
    const name = fc.stringMatching(/^[A-Z][A-Z0-9-]{0,8}$/);
    const value = fc.string().map((one) => one.replaceAll('"', ""));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }), (pairs) => {
        const text = pairs.map(([key, one]) => `${key}="${one}"`).join(",");
        expect([...parseAttributeList(text)]).toEqual(pairs);
      }),
    );
  });
});

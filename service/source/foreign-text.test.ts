import { expect, it } from "vitest";
import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { createChatReader } from "#contract/chat.ts";
import { sendThumbnail } from "#contract/pictures.ts";
import { setPreferences } from "#contract/notifications.ts";
import { clientAddressReader } from "#hosts/node/client-address.ts";
import { parseResponseHead } from "#hosts/node/response-head.ts";
import { readFailure } from "#hosts/node/s3-store/s3-error.ts";
import { elements, elementText } from "#hosts/node/s3-store/s3-xml.ts";
import { readIdentityToken } from "#service/auth/identity-token.ts";
import { createCookieJar } from "#service/auth/session-cookie.ts";
import { judgeBy } from "#service/channels/rule.ts";
import { searchFor } from "#service/db/search.ts";
import { nameInAddress } from "#service/direct-url/direct-address.ts";
import { containerOfFile, versionOf } from "#service/direct-url/media-file.ts";
import { readRange } from "#service/files/byte-range.ts";
import { attachmentHeader } from "#service/http/content-disposition.ts";
import { replaceHidden } from "#service/hidden-characters.ts";
import { parseInput } from "#service/http/parse-input.ts";
import { readQuery } from "#service/http/request-query.ts";
import { parseStrictJson } from "#service/http/strict-json.ts";
import { readChecksum, readInteger, readMetadata } from "#service/manual-uploads/tus/headers.ts";
import { messageHtml } from "#service/notifications/message-text.ts";
import { pictureTypeOf } from "#service/source/picture-type.ts";
import { portableName } from "#service/portable-name.ts";
import { maskSecrets } from "#service/secrets/mask-secrets.ts";
import { ownerOfKey } from "#service/storage/key-owner.ts";
import { manualObjectKey } from "#service/storage/object-keys.ts";
import { chatPageSchema } from "#service/twitch/chat-shapes.ts";
import { parseGoDuration } from "#service/twitch/describe-video.ts";
import { helixVideoSchema } from "#service/twitch/helix-shapes.ts";
import { parseJson } from "#service/parse-json.ts";
import { parseVodReference } from "#service/twitch/parse-vod-reference.ts";
import { quoteTwitch, readTwitchWords } from "#service/twitch/twitch-words.ts";
import { parseAttributeList } from "./attribute-list.ts";
import { checkUnitBytes, isText } from "./container.ts";
import { parseMasterPlaylist } from "./master-playlist.ts";
import { evaluateMediaAddress } from "./media-address.ts";
import { parseMediaPlaylist } from "./parse-media-playlist.ts";
import { readPlaylistLines } from "./playlist-text.ts";
import { readRefusal } from "./refusal.ts";
import { readRetryAfterMs } from "./retry-after.ts";

const ADDRESS = "https://vods.example/1/index.m3u8";

const media = (text: string) => parseMediaPlaylist(`#EXTM3U\n${text}\nsegment.ts\n`, ADDRESS);
const master = (text: string) => parseMasterPlaylist(`#EXTM3U\n${text}\nindex.m3u8\n`, ADDRESS);
const bytesOf = (text: string) => new TextEncoder().encode(text);
const withHeader = (name: string, text: string) => new Headers({ [name]: text });
/** A request whose head is longer does not reach the service. */
const MAX_ADDRESS_LENGTH = 16_384;

const readAddress = clientAddressReader(["127.0.0.1"]);
const cookies = createCookieJar(true);
const identity = { issuer: "https://id.example", clientId: "1" };
const upload = { ownerId: "1", uploadId: "1" };

const VOD = { kind: "archive", durationSec: 1, recordedAtMs: 0, isGrowing: false } as const;

type Parser = readonly [parse: (text: string) => unknown, beginnings: readonly string[]];

/** The parsers of text from outside, each with the beginnings that lead to its parts. */
const PARSERS: Readonly<Record<string, Parser>> = {
  "attribute list": [parseAttributeList, ["", "A=", 'A="', "A=b,"]],
  "media playlist": [
    media,
    ["", "#EXT-X-KEY:METHOD=", "#EXT-X-MAP:URI=", "#EXTINF:", "#EXTINF:1,", "#EXT-X-BYTERANGE:"],
  ],
  "segment's address": [
    (text) => media(`#EXTINF:1,\n${text}`),
    ["", "-unmuted.", "?start_offset="],
  ],
  "master playlist": [master, ["#EXT-X-STREAM-INF:A=", "#EXT-X-SESSION-DATA:A="]],
  "playlist's lines": [(text) => [...readPlaylistLines(text, 1e7)], ["", "#EXTM3U"]],
  "refusal of a media host": [
    (text) => readRefusal(new Response(text, { status: 403 })),
    ["", "<Error>"],
  ],
  "XML of a store": [(text) => elements(text, "Key"), ["", "<Key", "<Key ", "<Key>"]],
  "XML's text": [(text) => elementText(`<Key>${text}</Key>`, "Key"), ["", "&", "&#x"]],
  "error of a store": [(text) => readFailure(500, null, text), ["<Code>", "<Message>"]],
  "HTTP head": [
    (text) => parseResponseHead(`HTTP/1.1 200 OK\r\n${text}\0`),
    ["", "a:", "content-length:"],
  ],
  "HTTP status line": [parseResponseHead, ["", "HTTP/1.1 200 "]],
  "Content-Range": [
    (text) => versionOf(new Response(null, { status: 206, headers: { "content-range": text } })),
    ["bytes 0"],
  ],
  "Retry-After": [(text) => readRetryAfterMs(withHeader("retry-after", text), 0), ["", "Mon, "]],
  Range: [(text) => readRange(text, 1_000), ["", "bytes="]],
  Cookie: [
    (text) => cookies.session.read(new Request(ADDRESS, { headers: { cookie: text } })),
    ["", "__Host-vodkeep_session="],
  ],
  "X-Forwarded-For": [
    (text) =>
      readAddress({ headers: { "x-forwarded-for": text }, socket: { remoteAddress: "127.0.0.1" } }),
    [""],
  ],
  "Upload-Metadata": [
    (text) => readMetadata(withHeader("upload-metadata", text)),
    ["", "filename "],
  ],
  "file name of an upload": [
    (text) => readMetadata(withHeader("upload-metadata", `filename ${btoa(text)}`)),
    ["", "."],
  ],
  "Upload-Checksum": [(text) => readChecksum(withHeader("upload-checksum", text)), ["sha1 "]],
  "Upload-Length": [
    (text) => readInteger(withHeader("upload-length", text), "Upload-Length"),
    [""],
  ],
  query: [(text) => readQuery(text.slice(0, MAX_ADDRESS_LENGTH)), ["?", "?a="]],
  "JSON body": [parseStrictJson, ["", '"', '{"a":', "["]],
  "JSON string": [(text) => parseStrictJson(JSON.stringify({ text })), [""]],
  preferences: [
    (text) => parseInput(setPreferences.body, { preferences: { email: text, enabledEvents: {} } }),
    ["", "a@", "a@a."],
  ],
  thumbnail: [(text) => parseInput(sendThumbnail.body, { picture: text }), [""]],
  "first bytes": [
    (text) => [isText(bytesOf(text)), containerOfFile(bytesOf(text)), pictureTypeOf(bytesOf(text))],
    [""],
  ],
  "MPEG-TS": [(text) => checkUnitBytes("ts", bytesOf(text)), ["G"]],
  MP4: [(text) => checkUnitBytes("fmp4-fragment", bytesOf(text)), ["\0\0\0\bmoof"]],
  "media's address": [(text) => evaluateMediaAddress(text, ["*.example"]), ["", "https://"]],
  "name in an address": [(text) => nameInAddress(new URL(`https://a.example/${text}`).href), [""]],
  "VOD's address": [parseVodReference, ["", "https://www.twitch.tv/videos/"]],
  duration: [parseGoDuration, ["", "1h"]],
  Helix: [(text) => parseJson(helixVideoSchema, text), ["", '{"duration":"']],
  "Helix's video": [
    (text) =>
      parseJson(
        helixVideoSchema,
        JSON.stringify({ id: text, created_at: text, duration: text, title: text }),
      ),
    ["", "2026-11-26T00:00:00."],
  ],
  "chat of Twitch": [(text) => parseJson(chatPageSchema, text), ["", '{"video":']],
  "stored chat": [(text) => createChatReader()(text), ["", "{", '{"a":"']],
  "words of Twitch": [
    (text) => quoteTwitch("No.", readTwitchWords(text)),
    ["", '{"message":"', "<title"],
  ],
  "words in JSON": [
    (text) => quoteTwitch("No.", readTwitchWords(JSON.stringify({ message: text }))),
    ["", "https://a.example/"],
  ],
  "identity token": [(text) => readIdentityToken(text, identity), ["", "a."]],
  search: [(text) => searchFor("file_search", text, ["key"]), [""]],
  "object's key": [ownerOfKey, ["", "vods/1/", "manual/"]],
  "key from a name": [(text) => manualObjectKey(upload, text), ["", "."]],
  "attachment's name": [attachmentHeader, [""]],
  "hidden characters": [(text) => replaceHidden(text, ""), [""]],
  "name on any system": [portableName, ["", "a"]],
  "title by a rule": [
    (title) => judgeBy({ ...BUILT_IN_RULE, titleExcludes: ["a"] })({ ...VOD, title }, 0, 0),
    [""],
  ],
  mail: [(text) => messageHtml("", { title: text, body: text, url: null, deliveryId: "1" }), [""]],
  "secrets in a log": [maskSecrets, ["", "token="]],
};

/** What makes expressions backtrack: characters that two of their parts match, and unclosed parts. */
const PIECES = [
  ...Array.from(' \t,"=<#\n0a:([{\\%&/-.@;'),
  "a,",
  '="',
  "a:",
  ": ",
  "a ",
  "a\n",
  "\r\n",
  "1h",
  "0.",
  "-a",
  "<a",
  "<Key>",
  "<style ",
  "&#x",
  '\\"',
  "%20",
  "../",
  '{"a":',
  "https://",
  "\u0301",
  "\u0316\u0301",
  "a\u0301\u0316",
  "\u{1F3F4}\u{E0041}",
  "\u{E0041}",
];

/** Follows the pieces, where hardly any expression expects it. */
const END = '"\u00FF';

const HARMLESS = "A line of words.\n";

/** Linear time differs by less than a third of this factor among parsers. */
const MAX_RATIO = 10;

/** The cheapest one counts: the garbage of all tests may be collected during some of them. */
const RUNS = 4;

function cpuUsOf(parse: (text: string) => unknown, text: string): number {
  const before = process.threadCpuUsage();
  try {
    parse(text);
  } catch {
    // Refusing such a text is right, too.
  }
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

it("any characters are parsed in linear time", () => {
  const cases = Object.entries(PARSERS).flatMap(([name, [parse, beginnings]]) =>
    beginnings.map((beginning) => ({ name, parse, beginning })),
  );
  // In quadratic time, the first length takes up to a second and the second one several.
  for (const length of [30_000, 60_000]) {
    const textOf = (beginning: string, piece: string) =>
      beginning + piece.repeat(length / piece.length) + END;
    const usualUs = Math.max(
      ...cases.map(({ parse, beginning }) => cpuUsOf(parse, textOf(beginning, HARMLESS))),
    );
    for (const { name, parse, beginning } of cases)
      for (const piece of PIECES) {
        let ratio = Number.POSITIVE_INFINITY;
        for (let run = 0; run < RUNS && ratio > MAX_RATIO; run += 1)
          ratio = Math.min(ratio, cpuUsOf(parse, textOf(beginning, piece)) / usualUs);
        if (ratio > MAX_RATIO)
          throw new Error(
            `${name}: ${JSON.stringify([beginning, piece])} took ${ratio} times longer`,
          );
      }
    expect(usualUs).toBeGreaterThan(0);
  }
});

it("blank lines of a playlist take no memory", () => {
  const text = `#EXTM3U${"\n".repeat(10_000_000)}end`;
  const before = process.memoryUsage().heapUsed;
  for (const [index, line] of readPlaylistLines(text, text.length)) {
    if (line !== "end") continue;
    expect(index).toBe(10_000_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40_000_000);
  }
  expect.assertions(2);
});

it("a line of 64 KB is parsed, and a longer one refused", () => {
  const line = "#EXT-X-KEY:METHOD=NONE,A=".padEnd(65_536, "a");
  expect(media(`${line}\n#EXTINF:1,`).segments).toHaveLength(1);
  expect(() => media(`${line}a\n#EXTINF:1,`)).toThrow(
    "Line 2 of the playlist is longer than 64 KB.",
  );
});

it("a stray quote after spaces ends an attribute list", () => {
  expect([...parseAttributeList('A=1 , B="x, y" ,C= z  ,D=   "E=1')]).toEqual([
    ["A", "1"],
    ["B", "x, y"],
    ["C", "z"],
  ]);
});

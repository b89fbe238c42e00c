import { expect, test } from "vitest";
import { continues, decodeManifest, type ArchiveUnit } from "./archive-manifest.ts";

function unit(segment: number, change: Partial<ArchiveUnit> = {}): ArchiveUnit {
  return {
    kind: "ts",
    url: `https://media.example/${segment}.ts`,
    byteRange: null,
    segment,
    durationSec: 10,
    startsDiscontinuity: false,
    isMuted: false,
    isGap: false,
    ...change,
  };
}

/** As the version of November 2026 wrote it: stores hold such files for good. Never changed. */
const STORED_MANIFEST =
  '{"version":1,"uploadId":"c7d366f39307df3d2f67e717","container":"ts","rights":"administrator_confirmed",' +
  '"source":{"kind":"twitch","reference":"2000000007","vodId":"2000000007","ownerId":"1009",' +
  '"ownerLogin":"kettle_and_keys","ownerDisplayName":"Kettle & Kéys","title":"Trailer (upload)",' +
  '"fileStem":"kettle_and_keys-2000000007","createdAt":"2026-11-20T21:50:01.000Z","durationSec":10,' +
  '"broadcastId":null,"chapters":[]},"rendition":{"name":"chunked",' +
  '"playlistUrl":"http://127.0.0.1/media/chunked/index-dvr.m3u8","bandwidthBitsPerSec":321706,' +
  '"codecs":"avc1.64001F,mp4a.40.2","resolution":"1280x720","framesPerSec":30,"quality":"best",' +
  '"withheld":null},"targetDurationSec":10,"end":"final","grownAt":1795996203612,"units":[{"kind":"ts",' +
  '"url":"http://127.0.0.1/media/chunked/0.ts","byteRange":null,"segment":0,"durationSec":10,' +
  '"startsDiscontinuity":false,"isMuted":false,"isGap":false}],"stored":{"sizeBytes":383520,"tag":"b63b-1",' +
  '"tagAlgorithm":"sha-256","partSizeBytes":8388608,"partSha256":["87b9"],' +
  '"units":[{"sizeBytes":383520,"isMissing":false}]}}';

function decode(text: string) {
  return decodeManifest(new TextEncoder().encode(text));
}

test("a stored manifest is read whole, with what later versions add, but no other number", () => {
  const known = decode(STORED_MANIFEST);
  expect(known).toEqual(JSON.parse(STORED_MANIFEST));
  expect(decode(STORED_MANIFEST.replaceAll('{"', '{"later":{"a":1},"'))).toEqual(known);
  expect(decode(STORED_MANIFEST.replace('"version":1', '"version":3'))).toBeNull();
});

const PLANNED = [unit(0), unit(1, { durationSec: 8.341 })];

test.each<readonly [string, readonly ArchiveUnit[], boolean]>([
  ["an identical one", PLANNED, true],
  ["a longer one", [...PLANNED, unit(2)], true],
  ["other file names", PLANNED.map((each) => ({ ...each, url: "muted", isMuted: true })), true],
  ["a differently rounded duration", [unit(0), unit(1, { durationSec: 8.342 })], true],
  ["a different duration", [unit(0), unit(1, { durationSec: 8.35 })], false],
  ["an outdated one", PLANNED.slice(0, 1), true],
  ["other segment numbers", [unit(0), unit(2, { durationSec: 8.341 })], false],
  ["another container", PLANNED.map((each) => ({ ...each, kind: "fmp4-fragment" })), false],
])("decides whether a plan can continue with %s", (_, later, isSame) => {
  expect(continues(PLANNED, later)).toBe(isSame);
});

import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "../server.ts";
import {
  clientId,
  clientSecret,
  downloadSource,
  getMaster,
  namesIn,
  sourceUrl,
} from "../testing/twitch-client.ts";

let standIn: TwitchStandIn;
let nowMs = Date.parse("2026-11-20T12:00:00Z");

beforeEach(async () => {
  standIn = await startTwitchStandIn({ clientId, clientSecret, now: () => nowMs });
});
afterEach(async () => {
  await standIn.close();
});

async function playlistOf(vodId: string): Promise<string> {
  return (await fetch(await sourceUrl(standIn, vodId))).text();
}

async function status(url: string, name: string): Promise<number> {
  const response = await fetch(new URL(name, url));
  await response.arrayBuffer();
  return response.status;
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

test.each([
  "2000000002",
  "2000001010",
  "2000001020",
  "2000001030",
  "2000001040",
  "2000001041",
  "2000001043",
  "2000001050",
  "2000001051",
  "2000001052",
  "2000001130",
])("what VOD %s serves is what its digest says", async (vodId) => {
  const { bytes, refused } = await downloadSource(standIn, vodId);
  const digest = await standIn.control.sourceDigest(vodId);
  expect({ sizeBytes: bytes.byteLength, sha256: sha256(bytes) }).toEqual({
    sizeBytes: digest.sizeBytes,
    sha256: digest.sha256,
  });
  expect(refused).toHaveLength(digest.missing.length);
});

test("a finished VOD's playlist looks like Twitch's", async () => {
  const playlist = await playlistOf("2000001010");
  expect(playlist).toMatch(
    /^#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#ID3-EQUIV-TDTG:2026-11-\d\dT\d\d:\d\d:\d\d\n#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-TWITCH-ELAPSED-SECS:0\.000\n#EXT-X-TWITCH-TOTAL-SECS:120\.000\n#EXTINF:10\.000,\n0\.ts\n/,
  );
  expect(playlist.endsWith("\n11.ts\n#EXT-X-ENDLIST\n")).toBe(true);
});

test("a reconnect brings a discontinuity, and in a multi-init VOD a new map after it", async () => {
  expect(namesIn(await playlistOf("2000001040"))).toEqual(
    "init-0.mp4 0.mp4 1.mp4 2.mp4 3.mp4 4.mp4 init-1.mp4 5.mp4 6.mp4 7.mp4 8.mp4 9.mp4 10.mp4 11.mp4".split(
      " ",
    ),
  );
  expect(await playlistOf("2000001040")).toContain(
    '4.mp4\n#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI="init-1.mp4"\n#EXTINF:10.000,\n5.mp4',
  );
  expect((await playlistOf("2000001042")).match(/EXT-X-MAP/g)).toHaveLength(1);
});

test("muted: the muted playlist works, the original names segments that answer 403", async () => {
  const url = await sourceUrl(standIn, "2000001050");
  expect(url).toMatch(/\/index-muted-[A-Z0-9]{10}\.m3u8$/);
  expect(namesIn(await (await fetch(url)).text()).slice(0, 5)).toEqual([
    "0.ts",
    "1.ts",
    "2-muted.ts",
    "3-muted.ts",
    "4.ts",
  ]);
  const original = await (await fetch(new URL("index-dvr.m3u8", url))).text();
  expect(original).toContain("2-unmuted.ts");
  expect(await status(url, "2-unmuted.ts")).toBe(403);
  expect(await status(url, "2.ts")).toBe(403);
  expect(await status(url, "4-muted.ts")).toBe(403);
  expect(await status(url, "2-muted.ts")).toBe(200);
});

test("muting in the middle of a download changes names, address and digest", async () => {
  const vod = standIn.control.addVod({ segmentCount: 4, segmentSizeBytes: 20_000 });
  const before = await sourceUrl(standIn, vod.id);
  const digest = await standIn.control.sourceDigest(vod.id);
  expect(await status(before, "1.ts")).toBe(200);
  standIn.control.mute(vod.id, [1]);
  expect(await status(before, "1.ts")).toBe(403);
  const after = await sourceUrl(standIn, vod.id);
  expect(after).not.toBe(before);
  expect(namesIn(await (await fetch(after)).text())).toEqual([
    "0.ts",
    "1-muted.ts",
    "2.ts",
    "3.ts",
  ]);
  expect((await standIn.control.sourceDigest(vod.id)).sha256).not.toBe(digest.sha256);
  standIn.control.mute(vod.id, [2]);
  expect(await sourceUrl(standIn, vod.id)).not.toBe(after);
});

test("a highlight's segments keep the numbers they had in the archive", async () => {
  const url = await sourceUrl(standIn, "2000000004");
  expect(url).toMatch(/\/highlight-2000000004\.m3u8$/);
  expect(namesIn(await (await fetch(url)).text())[0]).toBe("137.ts");
  expect(await status(url, "136.ts")).toBe(403);
});

test("byte ranges into one file add up to the digest", async () => {
  const url = await sourceUrl(standIn, "2000001140");
  const playlist = await (await fetch(url)).text();
  const ranges = [...playlist.matchAll(/#EXT-X-BYTERANGE:(\d+)@(\d+)\n0\.ts/g)];
  expect(ranges).toHaveLength(12);
  const parts: Buffer[] = [];
  for (const [, length, offset] of ranges) {
    const end = Number(offset) + Number(length) - 1;
    const response = await fetch(new URL("0.ts", url), {
      headers: { range: `bytes=${offset}-${end}` },
    });
    expect(response.status).toBe(206);
    parts.push(Buffer.from(await response.arrayBuffer()));
  }
  expect(sha256(Buffer.concat(parts))).toBe(
    (await standIn.control.sourceDigest("2000001140")).sha256,
  );
});

test("start_offset names add up to the digest", async () => {
  const { bytes, names } = await downloadSource(standIn, "2000001141");
  expect(names[0]).toMatch(/^index-0000000000-JTvg\.ts\?start_offset=0&end_offset=\d+$/);
  expect(sha256(bytes)).toBe((await standIn.control.sourceDigest("2000001141")).sha256);
});

test("a VOD can vanish after some segments: everything about it is gone", async () => {
  const url = await sourceUrl(standIn, "2000001090");
  for (let index = 0; index < 6; index += 1) {
    expect(await status(url, `${index}.ts`)).toBe(200);
  }
  expect(await status(url, "6.ts")).toBe(403);
  expect(await status(url, "0.ts")).toBe(403);
  expect((await fetch(url)).status).toBe(403);
  expect((await getMaster(standIn, "2000001090")).status).toBe(403);
});

test("a growing VOD: segments come, it ends, the tail comes late, then it is muted", async () => {
  const vodId = "2000001100";
  const look = async (): Promise<{ names: number; ended: boolean }> => {
    const playlist = await playlistOf(vodId);
    return { names: namesIn(playlist).length, ended: playlist.includes("#EXT-X-ENDLIST") };
  };
  expect(await look()).toEqual({ names: 5, ended: false });
  nowMs += 10_000;
  expect(await look()).toEqual({ names: 10, ended: false });
  nowMs += 36_000;
  expect(await look()).toEqual({ names: 28, ended: true });
  nowMs += 8_000;
  expect(await look()).toEqual({ names: 30, ended: true });
  expect(await sourceUrl(standIn, vodId)).toContain("index-dvr");
  nowMs += 12_000;
  expect(await sourceUrl(standIn, vodId)).toContain("index-muted-");
});

test("a growing VOD can be led by hand", async () => {
  const vod = standIn.control.addVod({ segmentCount: 9, growing: { initialSegments: 2 } });
  expect(namesIn(await playlistOf(vod.id))).toHaveLength(2);
  expect(standIn.control.grow(vod.id, 3)).toMatchObject({ segmentCount: 5, status: "RECORDING" });
  standIn.control.end(vod.id);
  const playlist = await playlistOf(vod.id);
  expect(namesIn(playlist)).toHaveLength(5);
  expect(playlist).toContain("#EXT-X-ENDLIST");
});

test("the CDN answers HEAD, single ranges and impossible ranges", async () => {
  const vod = standIn.control.addVod({ segmentCount: 1, segmentSizeBytes: 1_880 });
  const url = new URL("0.ts", await sourceUrl(standIn, vod.id));
  const head = await fetch(url, { method: "HEAD" });
  expect(head.headers.get("content-length")).toBe("1880");
  const part = await fetch(url, { headers: { range: "bytes=188-" } });
  expect(part.headers.get("content-range")).toBe("bytes 188-1879/1880");
  expect((await part.arrayBuffer()).byteLength).toBe(1_692);
  expect((await fetch(url, { headers: { range: "bytes=1880-" } })).status).toBe(416);
});

test("a paced VOD is no faster than its pace, however many connections ask", async () => {
  const vod = standIn.control.addVod({
    segmentCount: 4,
    segmentSizeBytes: 188_000,
    paceBytesPerSecond: 1_504_000,
  });
  const url = await sourceUrl(standIn, vod.id);
  const startedAt = performance.now();
  await Promise.all([0, 1, 2, 3].map((index) => status(url, `${index}.ts`)));
  const tookMs = performance.now() - startedAt;
  expect(tookMs).toBeGreaterThan(400);
  expect(tookMs).toBeLessThan(10_000);
});

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

import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "../server.ts";
import { clientId, clientSecret, getMaster, playbackToken } from "../testing/twitch-client.ts";

let standIn: TwitchStandIn;
let nowMs = Date.parse("2026-11-20T12:00:00Z");

beforeEach(async () => {
  standIn = await startTwitchStandIn({ clientId, clientSecret, now: () => nowMs });
});
afterEach(async () => {
  await standIn.close();
});

test("the first generation has TWITCH-INFO and a media group for each variant", async () => {
  const response = await getMaster(standIn, "2000001010", { v2: false });
  const master = await response.text();
  expect(response.headers.get("content-type")).toBe("application/vnd.apple.mpegurl");
  expect(master.startsWith("#EXTM3U\n#EXT-X-TWITCH-INFO:")).toBe(true);
  expect(master).toContain('#EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="chunked",NAME="720p"');
  expect(master).toMatch(
    /RESOLUTION=1280x720,VIDEO="chunked",FRAME-RATE=30\.000\nhttp:.*\/chunked\/index-dvr\.m3u8/,
  );
  expect(master).toContain('GROUP-ID="audio_only"');
});

test("the second generation has neither, and says which variant is the source", async () => {
  const master = await (await getMaster(standIn, "2000001010")).text();
  expect(master).not.toMatch(/EXT-X-MEDIA|TWITCH-INFO|VIDEO=/);
  expect(master).toContain('STABLE-VARIANT-ID="720p",IVS-NAME="720p"');
  expect(master.match(/IVS-VARIANT-SOURCE="source"/g)).toHaveLength(2);
  expect(master.match(/IVS-VARIANT-SOURCE="transcode"/g)).toHaveLength(1);
});

test("the other spelling of the token's names is accepted, and the path without an ending", async () => {
  const token = await playbackToken(standIn, "2000001010");
  const query = new URLSearchParams({
    nauthsig: token?.signature ?? "",
    nauth: token?.value ?? "",
  });
  expect((await fetch(`${standIn.usherUrl}/vod/2000001010?${query}`)).status).toBe(200);
});

test("HEVC is hidden from those who do not ask for it, and 1440p only spoken of", async () => {
  const asked = await (await getMaster(standIn, "2000001030")).text();
  expect(asked).toContain("hev1.1.6");
  const value = /unavailable-media",VALUE="([^"]+)"/.exec(asked)?.[1] ?? "";
  expect(JSON.parse(Buffer.from(value, "base64").toString())).toMatchObject([
    { NAME: "1440p60", AUTHORIZATION_REASONS: ["AUTHZ_NOT_LOGGED_IN"] },
  ]);
  const query = { supported_codecs: "h264" };
  const hidden = await (await getMaster(standIn, "2000001030", { query })).text();
  expect(hidden).not.toContain("/chunked/");
  expect(hidden).toContain("/480p30/");
});

test.each([
  ["2000001060", 403, "vod_manifest_restricted"],
  ["2000001070", 403, "content_geoblocked"],
])("VOD %s is refused with %i and %s", async (vodId, status, code) => {
  const response = await getMaster(standIn, vodId);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject([{ error_code: code, type: "error" }]);
});

test("a token is good for its own VOD, unchanged, and until it runs out", async () => {
  const token = await playbackToken(standIn, "2000001010");
  const status = async (
    vodId: string,
    value = token?.value ?? "",
    sig = token?.signature ?? "",
  ) => {
    const query = new URLSearchParams({ sig, token: value });
    return (await fetch(`${standIn.usherUrl}/vod/v2/${vodId}.m3u8?${query}`)).status;
  };
  expect(await status("2000001010")).toBe(200);
  expect(await status("2000001020")).toBe(403);
  expect(await status("2000001010", `${token?.value ?? ""} `)).toBe(403);
  expect(await status("2000001010", token?.value, "0".repeat(40))).toBe(403);
  nowMs += 20 * 3_600_000;
  expect(await status("2000001010")).toBe(403);
});

test("a VOD deleted after its token was issued is gone", async () => {
  const vod = standIn.control.addVod();
  const token = await playbackToken(standIn, vod.id);
  standIn.control.deleteVod(vod.id);
  const query = new URLSearchParams({ sig: token?.signature ?? "", token: token?.value ?? "" });
  const response = await fetch(`${standIn.usherUrl}/vod/v2/${vod.id}.m3u8?${query}`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject([{ error_code: "vod_not_found" }]);
});

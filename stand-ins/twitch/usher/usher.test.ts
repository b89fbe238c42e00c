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

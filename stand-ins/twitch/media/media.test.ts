import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "../server.ts";
import { clientId, clientSecret, namesIn, sourceUrl } from "../testing/twitch-client.ts";

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

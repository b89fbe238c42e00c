import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { twitchUserIdSchema, twitchVodIdSchema } from "#contract/ids.ts";
import { messagesOf, openTwitchWorld, type TwitchWorld } from "#service/testing/twitch-world.ts";
import { APPLICATION } from "#stand-ins/twitch/world.ts";
import type { Fault } from "#stand-ins/twitch/faults/fault.ts";
import { createAppToken } from "./app-token.ts";
import { createTwitchApi, type TwitchApi } from "./twitch-api.ts";

let world: TwitchWorld;
let api: TwitchApi;

beforeEach(async () => {
  world = await openTwitchWorld();
  api = createTwitchApi(world, createAppToken(world));
});

afterEach(async () => {
  await world.close();
});

const user = (id: string) => twitchUserIdSchema.parse(id);
const vod = twitchVodIdSchema.parse("2000001010");

function onHelix(fault: Fault, times: number | "forever" = "forever"): void {
  world.standIn.control.addFault({ match: { kind: "helix" }, fault, times });
}

function requestsOf(kind: "token" | "helix"): number {
  return world.standIn.control.requests({ kind }).length;
}

describe("the Helix client", () => {
  it("uses one application token for concurrent and later calls", async () => {
    await Promise.all([api.video(vod), api.users([user("1001")]), api.stream(user("1005"))]);
    await api.video(vod);
    expect(requestsOf("token")).toBe(1);
    expect(requestsOf("helix")).toBe(4);
  });

  it("returns users and omits unknown ones", async () => {
    const users = await api.users([user("1005"), user("999999")]);
    expect(users).toMatchObject([{ id: "1005", login: "pixelpilot", displayName: "PixelPilot" }]);
    expect(await api.users([])).toEqual([]);
  });

  it("truncates long titles, and rejects responses with overlong logins", async () => {
    const video = { replacement: `"title":"${"x".repeat(700_000)}"`, pattern: '"title":"[^"]*"' };
    onHelix({ type: "replace", ...video }, 1);
    const found = await api.video(vod);
    expect(found?.title).toBe(`${"x".repeat(499)}…`);
    onHelix(
      { type: "replace", pattern: '"login":"[^"]*"', replacement: `"login":"${"x".repeat(101)}"` },
      1,
    );
    await expect(api.users([user("1005")])).rejects.toThrow("invalid response");
  });

  it("names users without a display name, and channels without a category", async () => {
    const nothing = { replacement: '"$1":null', pattern: '"(display_name|game_name)":"[^"]*"' };
    onHelix({ type: "replace", ...nothing });
    expect(await api.users([user("1005")])).toMatchObject([{ displayName: "pixelpilot" }]);
    expect((await api.channel(user("1005")))?.game_name).toBe("");
  });

  it("returns a channel with its category", async () => {
    const channel = await api.channel(user("1005"));
    expect(channel).toMatchObject({ broadcaster_id: "1005" });
    expect(channel?.game_name).not.toBe("");
  });

  it("returns null for a missing VOD, channel or stream", async () => {
    expect(await api.channel(user("999999"))).toBeNull();
    expect(await api.video(twitchVodIdSchema.parse("2000001080"))).toBeNull();
    expect(await api.stream(user("1001"))).toBeNull();
  });

  it("lists a user's VODs by pages, without those of others, and who is live of many", async () => {
    const { control } = world.standIn;
    const [owner, other] = [control.addAccount(), control.addAccount()];
    const ids = Array.from({ length: 101 }, () => control.addVod({ ownerId: owner.id }).id);
    control.addVod({ ownerId: other.id });
    control.listFault(owner.id, { type: "strangers", accountId: other.id });
    const first = await api.videosOf(user(owner.id), null);
    const second = await api.videosOf(user(owner.id), first.cursor);
    expect(second.cursor).toBeNull();
    const listed = [...first.items, ...second.items].map(({ id }) => id);
    expect(listed.toSorted()).toEqual(ids.toSorted());
    const known = ids.slice(0, 2).map((id) => twitchVodIdSchema.parse(id));
    const videos = await api.videos([...known, twitchVodIdSchema.parse("999")]);
    expect(videos.map(({ id }) => id).toSorted()).toEqual(known);

    onHelix({ type: "replace", pattern: `"id":"${ids[0]}"`, replacement: '"id":7' }, 1);
    expect(await api.videos(known)).toMatchObject([{ id: ids[1] }]);
    onHelix({ type: "replace", pattern: '"id":"[^"]*"', replacement: '"id":7' }, 1);
    await expect(api.videos(known)).rejects.toThrow("invalid VODs");

    const streamId = control.goLive(owner.id, { title: "Morning" });
    const live = await api.streams([user(other.id), user(owner.id)]);
    expect(live).toMatchObject([{ id: streamId, user_id: owner.id, title: "Morning" }]);
    expect(await api.streams([])).toEqual([]);
    expect(await api.videos([])).toEqual([]);
  });

  it("renews an expired token once for concurrent calls", async () => {
    await api.video(vod);
    world.standIn.control.expireTokens(null);
    await Promise.all(Array.from({ length: 5 }, () => api.video(vod)));
    expect(requestsOf("token")).toBe(2);
  });

  it("rejects a response that is too large", async () => {
    onHelix({ type: "gzipBomb", expandsToBytes: 32 * 1024 * 1024 });
    await expect(api.video(vod)).rejects.toThrow("answered with more than 2097152 bytes");
  });

  it("does not retry again when the new token is rejected too", async () => {
    onHelix({ type: "status", status: 401 });
    await expect(api.video(vod)).rejects.toMatchObject({ failureClass: "try_later" });
    expect(requestsOf("helix")).toBe(2);
  });

  it("retries once after a 503", async () => {
    onHelix({ type: "status", status: 503 }, 1);
    expect((await api.video(vod))?.id).toBe(vod);
    expect(world.clock.pausesMs).toEqual([500]);
  });

  it("reports how long to wait when the rate limit is exceeded", async () => {
    world.standIn.control.setRate({ pointsPerMinute: 1 });
    const refusal = await Array.from({ length: 5 })
      .reduce<Promise<unknown>>((before) => before.then(() => api.video(vod)), Promise.resolve())
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      failureClass: "try_later",
      message: "Twitch asks this service to slow down. Twitch said: Too Many Requests.",
      retryAfterMs: expect.any(Number),
    });
  });

  it.each<[string, Fault]>([
    ["a web page", { type: "html" }],
    ["an empty response", { type: "empty" }],
    ["a truncated response", { type: "truncate" }],
    ["a response cut off by a reset", { type: "resetMidBody" }],
    ["an unexpected shape", { type: "body", body: '{"data":[{"id":7}]}' }],
    ["a response without a list", { type: "body", body: '{"data":{}}' }],
    [
      "an invalid duration",
      { type: "replace", pattern: '"duration":"[^"]*"', replacement: '"duration":"x"' },
    ],
    ["a gzip bomb", { type: "gzipBomb", expandsToBytes: 32 * 1024 * 1024 }],
    ["a redirect", { type: "redirect", location: "http://127.0.0.1:9/" }],
    ["500", { type: "status", status: 500 }],
    ["429 without Retry-After", { type: "status", status: 429 }],
    ["a broken connection", { type: "reset" }],
  ])("throws a try_later error for %s", async (_what, fault) => {
    onHelix(fault);
    const refusal: unknown = await api.video(vod).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: "SourceError", failureClass: "try_later" });
    for (const secret of world.secrets) expect(messagesOf(refusal)).not.toContain(secret);
    expect(world.requests.every((url) => url.startsWith(world.standIn.url))).toBe(true);
  });

  it("ignores a response about another VOD", async () => {
    onHelix({ type: "replace", pattern: '"id":"2000001010"', replacement: '"id":"2000001020"' });
    expect(await api.video(vod)).toBeNull();
  });

  it("times out when Helix does not respond", async () => {
    const hasty = createTwitchApi(world, createAppToken(world), { timeoutMs: 60, maxBytes: 1_000 });
    await api.video(vod);
    onHelix({ type: "delay", ms: 5_000 });
    await expect(hasty.video(vod)).rejects.toMatchObject({
      failureClass: "try_later",
      message: "Twitch's API did not respond within 0.06 s.",
    });
  });
});

describe("the application token", () => {
  it.each<[string, Fault]>([
    ["500", { type: "status", status: 500 }],
    ["no token", { type: "body", body: "{}" }],
    ["a web page", { type: "html" }],
  ])("is requested again after %s", async (_what, fault) => {
    world.standIn.control.addFault({ match: { kind: "token" }, fault });
    await expect(api.video(vod)).rejects.toMatchObject({ failureClass: "try_later" });
    expect((await api.video(vod))?.id).toBe(vod);
  });

  it("fails with an error that names TWITCH_CLIENT_SECRET when the secret is wrong", async () => {
    await world.close();
    world = await openTwitchWorld({ TWITCH_CLIENT_SECRET: "wrong" });
    const refusal: unknown = await createTwitchApi(world, createAppToken(world))
      .video(vod)
      .catch((error: unknown) => error);
    expect(messagesOf(refusal)).toContain("TWITCH_CLIENT_SECRET");
    expect(messagesOf(refusal)).not.toContain(APPLICATION.clientSecret);
  });
});
